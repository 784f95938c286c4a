package client_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"debitdesk/models/client"
)

func TestOnlyWhatIsKnownOfAPayerIsStored(t *testing.T) {
	d := client.Details{FullName: "Thandi Nkosi", Email: "thandi@example.com", BankCode: "051001"}
	stored, err := json.Marshal(d)
	if want := `{"Email":"thandi@example.com","FullName":"Thandi Nkosi","BankCode":"051001"}`; err != nil ||
		string(stored) != want {
		t.Errorf("%s, %v", stored, err)
	}
	before := `{"CC": [], "BCC": [], "City": "", "Email": "thandi@example.com", "Phone": "", "FullName": "Thandi Nkosi",
		"BankCode": "051001", "AccountType": "", "BankAccount": "", "PersonalCode": ""}`
	var was, is client.Details
	for text, into := range map[string]*client.Details{before: &was, string(stored): &is} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	was.CC, was.BCC = nil, nil // an empty list and none are shown alike
	if !reflect.DeepEqual(was, is) {
		t.Errorf("what was stored before reads as %+v, and now as %+v", was, is)
	}
}
