package export

import (
	"strings"
	"time"
)

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainSpace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packages  = "http://schemas.openxmlformats.org/package/2006"
	kinds     = "application/vnd.openxmlformats-officedocument."
)

type part struct{ name, content string }

// partsOf are the parts of a workbook beside its sheet. They say the same each time, so that a file that is resumed
// needs none of them again.
func partsOf(t Table) []part {
	made := t.Made.UTC().Format(time.RFC3339)
	return []part{
		{"[Content_Types].xml", xmlHead + `<Types xmlns="` + packages + `/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/>` +
			override("/xl/workbook.xml", kinds+"spreadsheetml.sheet.main+xml") +
			override("/xl/worksheets/sheet1.xml", kinds+"spreadsheetml.worksheet+xml") +
			override("/xl/styles.xml", kinds+"spreadsheetml.styles+xml") +
			override("/docProps/app.xml", kinds+"extended-properties+xml") +
			override("/docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml") + `</Types>`},
		{"_rels/.rels", related(
			relation("rId1", relations+"/officeDocument", "xl/workbook.xml"),
			relation("rId2", packages+"/relationships/metadata/core-properties", "docProps/core.xml"),
			relation("rId3", relations+"/extended-properties", "docProps/app.xml"))},
		{"docProps/app.xml", xmlHead +
			`<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>` +
			maker + `</Application></Properties>`},
		{"docProps/core.xml", xmlHead + `<cp:coreProperties xmlns:cp="` + packages + `/metadata/core-properties" ` +
			`xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" ` +
			`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>` + escaped(t.Name) + `</dc:title><dc:creator>` +
			maker + `</dc:creator><cp:lastModifiedBy>` + maker + `</cp:lastModifiedBy>` +
			`<dcterms:created xsi:type="dcterms:W3CDTF">` + made + `</dcterms:created>` +
			`<dcterms:modified xsi:type="dcterms:W3CDTF">` + made + `</dcterms:modified></cp:coreProperties>`},
		{"xl/workbook.xml", xmlHead + `<workbook xmlns="` + mainSpace + `" xmlns:r="` + relations + `"><bookViews>` +
			`<workbookView/></bookViews><sheets><sheet name="` + sheetName(t.Name) + `" sheetId="1" r:id="rId1"/></sheets>` +
			`</workbook>`},
		{"xl/_rels/workbook.xml.rels", related(
			relation("rId1", relations+"/worksheet", "worksheets/sheet1.xml"),
			relation("rId2", relations+"/styles", "styles.xml"))},
		{"xl/styles.xml", styles},
	}
}

func override(name, kind string) string {
	return `<Override PartName="` + name + `" ContentType="` + kind + `"/>`
}

func relation(id, kind, target string) string {
	return `<Relationship Id="` + id + `" Type="` + kind + `" Target="` + target + `"/>`
}

func related(all ...string) string {
	return xmlHead + `<Relationships xmlns="` + packages + `/relationships">` + strings.Join(all, "") + `</Relationships>`
}

// sheetName is a name that a sheet may have: at most 31 characters, without those that mean something in a formula.
func sheetName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\`, r) {
			return ' '
		}
		return r
	}, name)
	return strings.ReplaceAll(escaped(cut(name, 31)), `"`, "&quot;")
}

func escaped(s string) string { return string(appendXML(nil, s)) }

// styles are the looks of cells in the order of their numbers: plain, bold, amount, day, moment, text.
var styles = xmlHead + `<styleSheet xmlns="` + mainSpace + `"><numFmts count="2">` +
	`<numFmt numFmtId="164" formatCode="yyyy-mm-dd"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm:ss"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>` +
	`<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6">` +
	style("0", "0") + style("0", "1") + style("4", "0") + style("164", "0") + style("165", "0") + style("49", "0") +
	`</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

func style(format, font string) string {
	return `<xf numFmtId="` + format + `" fontId="` + font +
		`" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`
}
