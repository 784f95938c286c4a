package my_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"
)

// Purchases of a subscription have one reference. Their links say which is which.
func TestLinksToPurchasesOfOneReferenceHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	for days := range 3 {
		v.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"reference":"KSF-1002","due":%d,
			"purchase":{"products":[{"name":"Membership","price":64900}]}}`, v.client, v.A.BrandID,
			v.Store.Now().Add(time.Duration(days+1)*24*time.Hour).Unix())).Want(201)
	}
	v.purchase(12300)
	v.cookie = v.open(v.sent()).Want(303).Header.Get("Set-Cookie")
	page := v.get("/my/").Want(200).Contains(">See R-12300<")
	names := map[string]bool{}
	for _, found := range regexp.MustCompile(`>(See KSF-1002[^<]*)<`).FindAllStringSubmatch(page.Body, -1) {
		names[found[1]] = true
	}
	if len(names) != 3 {
		t.Errorf("three links are called %v", names)
	}
}
