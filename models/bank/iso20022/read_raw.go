package iso20022

import (
	"bytes"
	"encoding/xml"

	"debitdesk/models/bank"
)

// maxRaw bounds the evidence that is kept of one event.
const maxRaw = 8 << 10

// personal are the elements that speak of persons and accounts. They are passed over before anything is kept.
var personal = names("Dbtr", "Cdtr", "UltmtDbtr", "UltmtCdtr", "InitgPty", "Orgtr", "Cretr", "Assgnr", "Assgne",
	"MsgRcpt", "Ownr", "Pty", "TradgPty", "CtctDtls", "PstlAdr", "RltdPties", "DbtrAcct", "CdtrAcct", "RltdAcct",
	"DbtrAgtAcct", "CdtrAgtAcct", "SttlmAcct", "SfkpgAcct", "CdtrSchmeId", "OrgnlCdtrSchmeId", "OrgnlDbtrAcct",
	"OrgnlDbtr", "Prxy", "IBAN", "CardTx", "CshDpst", "ChqNb", "RfrdDoc", "SplmtryData", "Envlp",
	"InvcrId", "Invcee", "Invcr", "TaxRmt", "GrnshmtRmt", "Tax")

// kept are the elements whose text is evidence: codes, references, amounts and times.
var kept = names("Cd", "SubFmlyCd", "MsgId", "MsgNmId", "PmtInfId", "InstrId", "EndToEndId", "TxId", "UETR",
	"MndtId", "MndtReqId", "MndtRef", "AcctSvcrRef", "NtryRef", "ClrSysRef", "StsId", "CxlStsId", "OrgnlMsgId",
	"OrgnlMsgNmId", "OrgnlCreDtTm", "OrgnlPmtInfId", "OrgnlPmtInfCxlId", "OrgnlGrpCxlId", "OrgnlInstrId",
	"OrgnlEndToEndId", "OrgnlTxId", "OrgnlClrSysRef", "OrgnlUETR", "OrgnlMndtId", "OrgnlNbOfTxs", "OrgnlCtrlSum",
	"NbOfTxs", "DtldNbOfTxs", "DtldSts", "DtldCtrlSum", "GrpSts", "PmtInfSts", "TxSts", "GrpCxlSts", "PmtInfCxlSts",
	"TxCxlSts", "Conf", "Sts", "Amt", "InstdAmt", "TtlAmt", "OrgnlInstdAmt", "IntrBkSttlmAmt", "OrgnlIntrBkSttlmAmt",
	"ColltnAmt", "MaxAmt", "FrstColltnAmt", "CdtDbtInd", "RvslInd", "Dt", "DtTm", "CreDtTm", "AccptncDtTm", "BookgDt",
	"ValDt", "ReqdColltnDt", "ReqdExctnDt", "OrgnlReqdColltnDt", "OrgnlReqdExctnDt", "IntrBkSttlmDt", "SeqTp", "Accptd",
	"TrckgInd", "TrckgDays", "MsgAuthntcnCd", "ElctrncSeqNb", "LglSeqNb", "PgNb", "LastPgInd")

// spoken are the elements whose text is free: long numbers in them are masked.
var spoken = names("AddtlInf", "AddtlTxInf", "AddtlNtryInf", "AddtlRjctRsnInf", "Ustrd", "Prtry", "Ref", "Tp")

// evidence writes an element again, with what may be kept of it.
func evidence(n *node) []byte {
	var b bytes.Buffer
	write(&b, n)
	return b.Bytes()
}

func write(b *bytes.Buffer, n *node) {
	if len(n.name) > 40 || b.Len() > maxRaw {
		return
	}
	if len(n.kids) > 0 {
		before := b.Len()
		b.WriteString("<" + n.name + ">")
		inside := b.Len()
		for _, kid := range n.kids {
			write(b, kid)
		}
		if b.Len() == inside { // nothing of it may be kept
			b.Truncate(before)
			return
		}
		b.WriteString("</" + n.name + ">")
		return
	}
	text := clip(n.text, 500)
	switch {
	case text == "":
		return
	case kept[n.name]:
	case spoken[n.name]:
		text = bank.MaskNumbers(text)
	default:
		return
	}
	b.WriteString("<" + n.name)
	if n.currency != "" {
		b.WriteString(` Ccy="`)
		_ = xml.EscapeText(b, []byte(n.currency))
		b.WriteString(`"`)
	}
	b.WriteString(">")
	_ = xml.EscapeText(b, []byte(text))
	b.WriteString("</" + n.name + ">")
}
