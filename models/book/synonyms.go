package book

// fieldRow is a field with what people call its column.
type fieldRow struct {
	field Field
	label string
	words string // what people call the column, English and Afrikaans, without accents, blanks and signs
}

var fieldRows = []fieldRow{
	{ClientID, "Client id of Debitdesk", "clientid|clientuuid|debitdeskid|debitdeskclientid"},
	{Reference, "Your reference", "reference|ref|memberno|membernumber|membernr|memberid|accountreference|clientref|" +
		"clientreference|clientno|clientnumber|clientcode|customerreference|customerno|customernumber|customercode|" +
		"accountref|policyno|policynumber|familycode|lidnommer|lidno|klientnommer|kliënteno|verwysing|ourref|yourref|code"},
	{FullName, "Name", "name|fullname|firstname|firstnames|forename|forenames|clientname|customername|membername|naam|" +
		"volnaam|vollenaam|voornaam|voornaam|client|customer|member|debtor|debtorname|contactname|payer|payername|" +
		"nameandsurname|tenant|learner|accountname"},
	{Surname, "Surname", "surname|lastname|familyname|van|agternaam"},
	{Email, "E-mail", "email|emailaddress|mail|epos|eposadres|mailaddress|clientemail|contactemail"},
	{Phone, "Phone", "phone|phonenumber|cell|cellphone|cellno|cellnumber|cellphonenumber|mobile|mobileno|mobilenumber|" +
		"tel|telephone|contactnumber|contactno|sel|selfoon|selnommer|foon|telefoon|whatsapp"},
	{Identity, "ID or passport number", "id|idnumber|idno|idnr|rsaid|said|identity|identitynumber|idorpassport|" +
		"idpassport|passport|passportnumber|personalcode|idnommer|identiteitsnommer"},
	{Street, "Street address", "street|streetaddress|address|address1|addressline1|poaddressline1|adres|straat"},
	{City, "City", "city|town|pocity|stad|dorp"},
	{PostCode, "Postal code", "zip|zipcode|postcode|postalcode|popostalcode|poskode"},
	{Bank, "Bank", "bank|bankname|naamvanbank|banknaam|nameofbank"},
	{Branch, "Branch code", "branch|branchcode|branchno|branchnumber|bankcode|universalbranchcode|sortcode|tak|takkode|" +
		"bankkode"},
	{Account, "Account number", "account|accountno|accountnumber|accno|accnumber|bankaccount|bankaccountno|" +
		"bankaccountnumber|rekening|rekeningnommer|rekeningno|rekeningnr|bankrekening|recipientaccount|debtoraccountnumber"},
	{Type, "Account type", "accounttype|acctype|typeofaccount|bankaccounttype|rekeningtipe|recipientaccounttype|" +
		"debtoraccounttype"},
	{Holder, "Account holder", "accountholder|accholder|holder|nameofaccountholder|bankaccountname|rekeninghouer|" +
		"accountholdername"},
	{SignedOn, "Mandate signed on", "mandatesigned|mandatesignedon|signed|signedon|signeddate|mandatedate|dateofmandate|" +
		"agreementdate|mandaatdatum|geteken|contractdate|debitordersigned"},
	{OldMandate, "Mandate reference at the old system", "contractreference|contractref|mandatereference|mandateref|" +
		"mandateno|contractno|contractnumber|kontrakverwysing|agreementreference"},
	{MandateStatus, "Mandate status at the old system", "mandatestatus|mandatestate|statusofmandate|mandaatstatus"},
	{Template, "Subscription (template)", "template|subscription|package|plan|membership|membershiptype|product|pakket|" +
		"lidmaatskap|fee|feetype|group1"},
	{Amount, "Amount of each debit", "amount|monthly|monthlyamount|monthlyfee|debitamount|debitorderamount|instalment|" +
		"premium|premie|subscriptionamount|bedrag|maandeliks|maandeliksebedrag|fees|price|value|total"},
	{CycleOf, "How often", "cycle|frequency|howoften|interval|period|frekwensie|debitfrequency"},
	{DebitDay, "Debit day", "day|debitday|dayofmonth|debitorderday|collectionday|strikeday|actionday|dag|debietdag|" +
		"processday|deductionday|payday"},
	{NextDebit, "Next debit on", "nextdebit|nextdebitdate|nextdate|nextcollection|nextcollectiondate|nextpayment|" +
		"nextbilling|nextrun|actiondate|collectiondate|volgendedebiet"},
	{StartsOn, "Subscription starts on", "startdate|start|starts|startson|startingon|startingdate|firstdebit|" +
		"firstdebitdate|firstdebiton|firstpayment|firstpaymentdate|firstcollection|subscriptionstart|" +
		"subscriptionstartdate|begins|begindate|commencement|commencementdate|begindatum|aanvangsdatum|eerstedebiet"},
	{LastDebit, "Last debit by the old system",
		"lastdebit|lastdebitdate|lastcollection|lastcollected|lastpayment|lastrun|" +
			"lastebiet|laastedebiet"},
	{Failures, "Failed debits in a row",
		"failures|failuresinarow|unpaids|unpaidcount|returns|bounced|consecutivefailures"},
	{Status, "Status", "status|state|active|membershipstatus|accountstatus|aktief"},
	{GroupOf, "Group", "group|groupname|branchname|club|site|location|school|class|grade|batch|groep|klas|graad"},
	{Tags, "Tags", "tags|tag|labels|label|segment|segments|etikette"},
	{Province, "Province", "province|provinsie"},
	{Country, "Country", "country|pocountry|land"},
	{LegalName, "Legal name of a company", "legalname|companylegalname"},
	{TradeName, "Trading name of a company", "brandname|tradingname|tradingas"},
	{Registration, "Registration number of a company", "registrationnumber|companyregistration|regno|regnumber"},
	{TaxNumber, "VAT number of a company", "taxnumber|vatnumber|vatno|taxreference|btwnommer"},
	{Copies, "Copies of mails to", "cc"},
	{HiddenCopies, "Hidden copies of mails to", "bcc"},
	{ShipStreet, "Street of delivery", "shippingstreetaddress|deliverystreet|saaddressline1"},
	{ShipCity, "City of delivery", "shippingcity|deliverycity|sacity"},
	{ShipProvince, "Province of delivery", "shippingprovince|shippingstate|deliveryprovince"},
	{ShipPostCode, "Postal code of delivery", "shippingzipcode|deliverypostalcode|sapostalcode"},
	{ShipCountry, "Country of delivery", "shippingcountry|deliverycountry|sacountry"},
	{MandateAmount, "Amount that the mandate names", "mandateamount"},
	{Remaining, "Debits still to come", "remaining|remainingdebits|remainingcycles|debitsleft|paymentsleft|" +
		"paymentsremaining|instalmentsleft|instalmentsremaining"},
	{Paused, "Paused", "paused|onpause"},
	{InvoiceReference, "Reference on invoices", "subscriptionreference|invoicereference"},
	{OwedAmount, "Owed at the old system", "owed|arrears|outstanding|amountoutstanding|amountowed|amountdue|" +
		"invoiceamountdue|balance|balancedue|balanceowed|openingbalance|agterstallig|uitstaande|saldo|debt|openamount"},
	{OwedDue, "What is owed was due on", "oweddue|duedate|due|invoiceduedate|owedsince|arrearssince|vervaldatum|" +
		"openingbalancedate"},
	{OwedReference, "Old invoice of what is owed", "owedreference|invoicenumber|invoiceno|invoice|documentnumber|" +
		"openitem|faktuurnommer|faktuur"},
	{Notes, "Notes", "notes|note|comment|comments|remarks|opmerkings|notas"},
}
