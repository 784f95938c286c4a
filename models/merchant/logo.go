package merchant

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/logo"
)

// chosen is a file that was chosen as the logo of a brand.
type chosen struct {
	file []byte
	read logo.Logo
}

// Choose takes an uploaded file as the logo, in the place of the one that is named. What is wrong with it is said
// together with all else when the brand is saved.
func (in *BrandInput) Choose(file []byte) { in.upload = &chosen{file: file} }

// Picture is the name of the brand's logo; empty where it has none.
func (in BrandInput) Picture() logo.Name {
	name, _ := logo.Parse(in.Logo)
	return name
}

func (in *BrandInput) checkLogo(wrong *fault.Problems) {
	if in.upload != nil {
		read, err := logo.Read(in.upload.file)
		if f, is := fault.From(err); is {
			wrong.Add("logo", f.Code, "%s", f.Message)
			return
		}
		if err != nil {
			wrong.Add("logo", "invalid", "The picture cannot be kept.")
			return
		}
		in.upload, in.Logo = &chosen{file: in.upload.file, read: read}, string(read.Name)
		return
	}
	if _, known := logo.Parse(in.Logo); in.Logo != "" && !known {
		wrong.Add("logo", "invalid", "Choose the picture again.")
	}
}

// KeepLogo keeps a file that was chosen in a form with other mistakes, so that it need not be chosen again, and names
// it; empty when the file itself is the mistake. What is not saved within a day is dropped.
func (s *Service) KeepLogo(ctx context.Context, who actor.Actor, file []byte) (logo.Name, error) {
	if err := who.May(actor.Manage); err != nil {
		return "", err
	}
	l, err := logo.Read(file)
	if fault.Is(err, fault.Invalid) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return l.Name, s.Store.InTx(ctx, func(tx *database.Tx) error {
		keepLogo(tx, who.MerchantID, l)
		return nil
	})
}
