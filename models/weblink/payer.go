package weblink

import "github.com/google/uuid"

// Payer is the path of the page on which a client pays a purchase or gives its bank details, with a slash at the end.
// Knowing the id is the permission.
func Payer(purchaseID uuid.UUID) string { return "/p/" + purchaseID.String() + "/" }

// Look begins the addresses of what makes the pages and mails of a brand look like it.
const Look = "/p/look/"

// Logo is the path of the picture of that name, of package logo.
func Logo(name string) string { return Look + name + ".png" }
