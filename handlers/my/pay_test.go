package my_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// paysTo is what the page says about paying by EFT, in its order.
func (v *visitor) paysTo() []string {
	v.t.Helper()
	_, part, found := strings.Cut(v.get("/my/").Want(200).Body, `id="pay"`)
	if !found {
		v.t.Fatal("the page does not say how to pay")
	}
	part, _, _ = strings.Cut(part, "</section>")
	var values []string
	for _, m := range regexp.MustCompile(`(?s)<dd[^>]*>(.*?)</dd>|class="hint">(.*?)<`).FindAllStringSubmatch(part, -1) {
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(m[1]+m[2], "")
		values = append(values, strings.TrimSpace(strings.ReplaceAll(text, "\u00a0", " ")))
	}
	return values
}
func (v *visitor) execute(sql string, args ...any) {
	v.t.Helper()
	if _, err := v.Store.Pool.Exec(v.t.Context(), sql, args...); err != nil {
		v.t.Fatal(err)
	}
}

// Two brands are paid into accounts of their own, whatever order their purchases were made in; a reference that several
// purchases share is paid once; and a brand without an account leaves no reference under the account of another.
func TestEachReferenceStandsUnderTheAccountOfItsBrand(t *testing.T) {
	t.Parallel()
	v := newVisitor(t)
	brand := func(name, account string) string {
		id := v.Store.NewID()
		v.execute(`INSERT INTO brands (id, merchant_id, name, created_at, updated_at)
			SELECT $1, merchant_id, $2, created_at, updated_at FROM brands WHERE id = $3`, id, name, v.A.BrandID)
		if account != "" {
			v.execute(`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
					branch_code, is_default, created_at)
				SELECT $1, merchant_id, $2, $3, 'SPA', $4, branch_code, true, created_at
				FROM debit_profiles WHERE brand_id = $5`, v.Store.NewID(), id, "SPA", account, v.A.BrandID)
		}
		return id.String()
	}
	other, without := brand("Spa", "62009998887"), brand("Bar", "")
	for i, of := range []string{v.A.BrandID.String(), other, without, v.A.BrandID.String()} {
		v.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"reference":%q,
			"purchase":{"products":[{"name":"Membership","price":%d}]}}`, v.client, of, []string{"A-1", "SPA-1", "BAR-1", "A-1"}[i], 10_000+i)).Want(201)
	}
	v.enter()
	want := []string{"Brand a", "Standard Bank, 051001", "12345678", "A-1: R 200,03",
		"Spa", "Standard Bank, 051001", "62009998887", "SPA-1: R 100,01",
		"Ask Bar how to pay: it has no bank account on record here."}
	if got := v.paysTo(); !slices.Equal(got, want) {
		t.Errorf("the page says %q, want %q", got, want)
	}
}
