package tests

import (
	"testing"

	"debitdesk/handlers/api"
	"debitdesk/models/fault"
)

func TestProblemsAreNestedAsTheRequestWas(t *testing.T) {
	tests := []struct {
		name   string
		fields []fault.Field
		want   string
	}{
		{"flat", []fault.Field{{Path: "due", Code: "c", Message: "`due` < now!"}}, `{"due":[{"message":"` + "`due`" +
			` < now!","code":"c"}]}`},
		{"two on one field", []fault.Field{{Path: "a", Code: "x", Message: "1"}, {Path: "a", Code: "y", Message: "2"}},
			`{"a":[{"message":"1","code":"x"},{"message":"2","code":"y"}]}`},
		{"of an object", []fault.Field{{Path: "a.b.__all__", Code: "c", Message: "m"}},
			`{"a":{"b":{"__all__":[{"message":"m","code":"c"}]}}}`},
		{"list aligned with the request", []fault.Field{{Path: "a.b[1/3].c", Code: "c", Message: "m"}},
			`{"a":{"b":[{},{"c":[{"message":"m","code":"c"}]},{}]}}`},
		{"entry of a list", []fault.Field{{Path: "cc[0/2]", Code: "c", Message: "m"}},
			`{"cc":[{"__all__":[{"message":"m","code":"c"}]},{}]}`},
		{"field and something inside it", []fault.Field{{Path: "a", Code: "x", Message: "1"},
			{Path: "a.b", Code: "y", Message: "2"}},
			`{"a":{"__all__":[{"message":"1","code":"x"}],"b":[{"message":"2","code":"y"}]}}`},
		{"list and its entry", []fault.Field{{Path: "a", Code: "x", Message: "1"},
			{Path: "a[0/1].b", Code: "y", Message: "2"}},
			`{"__all__":[{"message":"1","code":"x"}],"a":[{"b":[{"message":"2","code":"y"}]}]}`},
		{"no field", nil, `{"__all__":[{"message":"m","code":"c"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := api.Marshal(api.ProblemBody(&fault.Fault{Code: "c", Message: "m", Fields: tt.fields}))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, want %s (%v)", got, tt.want, err)
			}
		})
	}
}
