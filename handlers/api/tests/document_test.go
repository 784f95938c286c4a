package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/openapi"
)

// What the document says of a limit is what the API holds to.
func TestTheDocumentNamesTheLimitsThatHold(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	document, err := openapi.Read(handlertest.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Paths map[string]struct {
			Get struct {
				Parameters []struct {
					Name     string
					Required bool
				}
			}
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Maximum int64 }
			}
		}
	}
	if err := json.Unmarshal(document.JSON(), &said); err != nil {
		t.Fatal(err)
	}
	latest := said.Components.Schemas["PurchaseRequest"].Properties["due"].Maximum
	for due, status := range map[int64]int{latest: 201, latest + 1: 400} {
		h.API("POST", "/purchases/", fmt.Sprintf(`{"client":{"email":"a@b.example"},"brand_id":%q,"due":%d,
			"purchase":{"products":[{"name":"m","price":100}]}}`, h.A.BrandID, due)).Want(status)
	}
	for _, name := range []string{"BillingRequest", "BillingTemplateRequest"} {
		if got := said.Components.Schemas[name].Properties["due"].Maximum; got != latest {
			t.Errorf("%s.due: at most %d, a purchase's %d", name, got, latest)
		}
	}
	query := map[string]string{"brand_id": "brand_id=" + h.A.BrandID.String(), "currency": "currency=ZAR"}
	for _, p := range said.Paths["/api/v1/payment_methods/"].Get.Parameters {
		rest := ""
		for name, pair := range query {
			if name != p.Name {
				rest += "&" + pair
			}
		}
		want := 200
		if p.Required {
			want = 400
		}
		if got := h.API("GET", "/payment_methods/?"+rest, nil).Status; got != want {
			t.Errorf("%s: %d, want %d", p.Name, got, want)
		}
	}
}
