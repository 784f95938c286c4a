package settings

import (
	"fmt"
	"math"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/merchant"
	"debitdesk/models/tint"
	"debitdesk/views/pages"
)

// lookBox is the part of the form that follows the colour while it is typed.
const lookBox = "look"

// lookAttrs has the form ask for its preview.
func lookAttrs(b merchant.Brand) templ.Attributes {
	at := "/settings/brands/new"
	if b.Version > 0 {
		at = words.BrandHref(b.ID)
	}
	return templ.Attributes{"hx-get": at, "hx-trigger": "input changed delay:300ms", "hx-target": "#" + lookBox,
		"hx-swap": "outerHTML", "hx-sync": "this:replace"}
}

// showLook answers where the form asks for its preview alone.
func showLook(c echo.Context) (asked bool, err error) {
	if !kit.FragmentFor(c, lookBox) {
		return false, nil
	}
	return true, html.Send(c, http.StatusOK, pages.BrandLook(lookOf(c.QueryParam("colour"))))
}

// lookOf says and shows what pages and mails make of a colour, by the code that they use.
func lookOf(colour string) (v pages.BrandLookView) {
	c, err := tint.Parse(colour)
	if err != nil {
		return v
	}
	look := tint.LookOf(c)
	v.Themes = []pages.LookTheme{
		{Label: "On a light page", Ground: "#f4f6f8", Card: "#ffffff", Text: "#17212e", Tone: look.Light.String()},
		{Label: "On a dark page", Ground: "#0e1217", Card: "#161c24", Text: "#e4e9ef", Tone: look.Dark.String()},
	}
	v.Fill, v.On = look.Fill.String(), look.On.String()
	text := "white"
	if look.On == tint.Black {
		text = "black"
	}
	v.Says = []string{
		fmt.Sprintf("Buttons have your colour, with %s text on it (contrast %s).", text, ratio(look.Fill, look.On)),
		said("light", "darker", c, look.Light, tint.LightGround), said("dark", "lighter", c, look.Dark, tint.DarkGround)}
	return v
}

func said(page, tone string, c, used, ground tint.Colour) string {
	if c == used {
		return fmt.Sprintf("On a %s page, links have your colour (contrast %s).", page, ratio(c, ground))
	}
	return fmt.Sprintf("On a %s page we use a %s tone of it for links, %s (contrast %s): your colour would be hard to "+
		"read there (%s).", page, tone, used, ratio(used, ground), ratio(c, ground))
}

// ratio never says more than there is.
func ratio(a, b tint.Colour) string {
	return fmt.Sprintf("%.1f : 1", math.Floor(tint.Contrast(a, b)*10)/10)
}
