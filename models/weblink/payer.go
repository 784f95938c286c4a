package weblink

import "github.com/google/uuid"

// Payer is the path of the page on which a client pays a purchase or gives its bank details, with a slash at the end.
// Knowing the id is the permission.
func Payer(purchaseID uuid.UUID) string { return "/p/" + purchaseID.String() + "/" }
