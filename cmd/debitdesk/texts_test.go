package main

import (
	"strings"
	"testing"
)

func TestTheProviderOfSMSIsNamedByItsAddressAndNeverRepeated(t *testing.T) {
	t.Parallel()
	for address, name := range map[string]string{"bulksms://id:hunter2@api.bulksms.com": "BulkSMS",
		"clickatell://hunter2@platform.clickatell.com": "Clickatell", "https://hunter2@sms.example/send": "sms.example",
		"http://hunter2@127.0.0.1:9/send": "127.0.0.1", "ftp://hunter2@x": "", "bulksms://hunter2@x": "",
		"https://hunter2@x/#colour=red": "", "://hunter2": ""} {
		got, err := Config{Mode: sandboxMode, SMS: address}.provider()
		switch {
		case name == "" && (err == nil || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: %v", address, err)
		case name != "" && (err != nil || got.Limits().Name != name):
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := (Config{Mode: liveMode, SMS: "http://key@sms.example/send"}).provider(); err == nil {
		t.Error("live mode takes a provider without TLS")
	}
	if got, err := (Config{Mode: liveMode}).provider(); got != nil || err != nil {
		t.Errorf("without an address: %v, %v", got, err)
	}
}
