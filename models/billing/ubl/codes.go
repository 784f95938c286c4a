package ubl

// What the rules call things. A South African profile, once one is published, changes this page.
const (
	customization = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
	profile       = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"

	namespace   = "urn:oasis:names:specification:ubl:schema:xsd:"
	invoices    = namespace + "Invoice-2"
	creditNotes = namespace + "CreditNote-2"
	aggregates  = namespace + "CommonAggregateComponents-2"
	basics      = namespace + "CommonBasicComponents-2"

	invoiceCode     = "380" // UNTDID 1001: commercial invoice
	creditNoteCode  = "381" // UNTDID 1001: credit note
	directDebitCode = "49"  // UNTDID 4461: direct debit
	unitCode        = "C62" // UN/ECE recommendation 20: one
	vatScheme       = "VAT"
	home            = "ZA" // ISO 3166: also what begins VAT numbers

	standardRated = "S" // UNTDID 5305
	zeroRated     = "Z"
	outsideVAT    = "O"
	// Why no VAT is charged by a business that is not registered for it.
	outsideCode = "VATEX-EU-O"
	outsideText = "The seller is not registered for VAT."

	testNote = "TEST MODE: this document is not valid."
)
