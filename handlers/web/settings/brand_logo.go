package settings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/logo"
	"debitdesk/models/merchant"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// The inputs of the logo: logo itself names the picture that is there.
const (
	logoInput  = "logo"
	logoFile   = "logo_file"
	logoRemove = "logo_remove"
)

// brandPosted is the form of a brand that was sent, with the file that was chosen as its logo; nil without one.
func brandPosted(c echo.Context) (form url.Values, in merchant.BrandInput, file []byte, err error) {
	r := c.Request()
	if err = r.ParseMultipartForm(kit.UploadMemory); err == nil {
		defer func() { _ = r.MultipartForm.RemoveAll() }()
		file, err = chosenFile(c)
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, in, nil, fault.New(fault.Invalid, "invalid", "The form could not be read.").Because(err)
	}
	if form, err = kit.FormOf(c); err != nil {
		return nil, in, nil, err
	}
	in = brandInput(form)
	if form.Get(logoRemove) != "" {
		in.Logo = ""
	}
	if file != nil {
		in.Choose(file)
	}
	return form, in, file, nil
}

// chosenFile reads the file, of which no more arrives than shows that it is too large.
func chosenFile(c echo.Context) ([]byte, error) {
	part, err := c.FormFile(logoFile)
	if errors.Is(err, http.ErrMissingFile) || err == nil && part.Size == 0 && part.Filename == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	from, err := part.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }()
	return io.ReadAll(io.LimitReader(from, logo.MostBytes+1))
}

// again is what was typed with the file that was chosen, for a form that is shown again: a browser forgets files.
func (h *Settings) again(ctx context.Context, who actor.Actor, in merchant.BrandInput,
	file []byte) (merchant.BrandInput, error) {
	if file == nil {
		return in, nil
	}
	name, err := h.Brands.KeepLogo(ctx, who, file)
	if name != "" {
		in.Logo = string(name)
	}
	return in, err
}

// askAgain shows a form that was refused.
func (h *Settings) askAgain(c echo.Context, status int, b merchant.Brand, in merchant.BrandInput, file []byte,
	wrong error) error {
	in, err := h.again(c.Request().Context(), access.Actor(c), in, file)
	if err != nil {
		return err
	}
	return h.brandForm(c, status, b, in, wrong)
}

// logoView is the part of the form that is about the logo.
func logoView(in merchant.BrandInput, wrong string) pages.BrandLogoView {
	v := pages.BrandLogoView{Name: string(in.Picture()), Logo: checkout.LogoOf(in.Picture()),
		File: components.FileInput{Label: "Logo", Name: logoFile, ID: logoInput, Error: wrong,
			Accept: "image/png,image/jpeg",
			Hint: logo.Limits + fmt.Sprintf(" It is kept as a PNG of at most %d × %d pixels, without anything else that "+
				"the file holds.", logo.MaxWidth, logo.MaxHeight)}}
	if v.Name != "" {
		v.File.Label = "Another logo"
		v.Remove = components.Checkbox{ID: logoRemove, Name: logoRemove, Value: "yes", Label: "Remove the logo",
			Hint: "It stays in mails that were sent and on invoices that were issued."}
	}
	return v
}

// logoWords tells of a picture where two people want different ones.
func logoWords(name string) string {
	n, known := logo.Parse(name)
	if !known {
		return ""
	}
	w, h := n.Shown()
	return fmt.Sprintf("A picture of %d × %d pixels (%.6s)", w, h, name)
}
