package client_test

import (
	"strings"
	"testing"

	"debitdesk/models/client"
)

func TestCountriesStandByNameWithSouthAfricaFirst(t *testing.T) {
	t.Parallel()
	all := client.Countries()
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	list := strings.Join(names, "|")
	if !strings.HasPrefix(list, "South Africa|Afghanistan|Åland Islands|Albania|") ||
		strings.Count(list, "South Africa") != 1 {
		t.Errorf("the list begins with %.80s", list)
	}
	for _, none := range []string{"Eurozone", "United Nations", "Swaziland", "Canary Islands"} {
		if strings.Contains(list, none) {
			t.Errorf("%q is in %s", none, list)
		}
	}
	for _, next := range []string{"|Eritrea|Estonia|Eswatini|Ethiopia|", "|Côte d’Ivoire|Croatia|", "|Zambia|Zimbabwe"} {
		if !strings.Contains(list, next) {
			t.Errorf("%q is not in %s", next, list)
		}
	}
}
