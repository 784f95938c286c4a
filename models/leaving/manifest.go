package leaving

import "time"

// How numbers stand in a book.
const (
	masked = "masked"
	full   = "full"
)

// ManifestName is the last file of a book.
const ManifestName = "manifest.json"

// Manifest says what is in a book.
type Manifest struct {
	Business string    `json:"business"`
	Merchant string    `json:"merchant"` // its short name
	Release  string    `json:"release"`
	MadeAt   time.Time `json:"made_at"`
	Day      string    `json:"day"`     // in South Africa
	Numbers  string    `json:"numbers"` // masked or full
	Files    []File    `json:"files"`
	Evidence Evidence  `json:"evidence"`
	// NotIncluded is what the product keeps beside these, and why it is not here.
	NotIncluded []LeftOut `json:"not_included"`
}

// File is one CSV file of a book.
type File struct {
	Name       string   `json:"name"`
	Holds      string   `json:"holds"`
	Rows       int64    `json:"rows"`
	Unreadable int64    `json:"unreadable"` // rows of which a sealed value was damaged
	Bytes      int64    `json:"bytes"`
	SHA256     string   `json:"sha256"`
	Columns    []Column `json:"columns"`
	Sums       []Sum    `json:"sums"`
}

// Column is one column of a file.
type Column struct {
	Name    string `json:"name"`
	Kind    Kind   `json:"kind"`
	Meaning string `json:"meaning"`
}

// Sum is the sum of a column, in cents.
type Sum struct {
	Column   string `json:"column"`
	Currency string `json:"currency"`
	Cents    int64  `json:"cents"`
}

// Evidence are the files that prove mandates; evidence.csv names each with its SHA-256.
type Evidence struct {
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
	List  string `json:"list"`
}

// LeftOut is what is not in a book.
type LeftOut struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Summary is what came of a book.
type Summary struct {
	Files      int    `json:"files"` // evidence and the manifest included
	Rows       int64  `json:"rows"`
	Unreadable int64  `json:"unreadable"`
	Bytes      int64  `json:"bytes"`
	SHA256     string `json:"sha256"`
}
