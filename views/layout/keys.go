package layout

// goKeys are the second keys of those that lead to a section: "g" and then this one.
var goKeys = map[string]string{
	"home": "h", "attention": "a", "clients": "c", "tokens": "t", "mandates": "m", "purchases": "p", "invoices": "i",
	"templates": "e", "batches": "b", "bank": "f", "calendar": "l", "reports": "r", "developers": "d", "settings": "s", "sandbox": "x",
}
