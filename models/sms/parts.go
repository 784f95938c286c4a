package sms

import "unicode/utf16"

// Encoding is how the characters of a message travel.
type Encoding string

// The encodings (source: 3GPP TS 23.038). One character outside the small alphabet makes the whole message UCS-2.
const (
	GSM7 Encoding = "GSM-7"
	UCS2 Encoding = "UCS-2"
)

// Units that one part holds, alone or as one of several.
const (
	gsmAlone, gsmEach = 160, 153
	ucsAlone, ucsEach = 70, 67
)

// Count is how a text travels.
type Count struct {
	Encoding Encoding
	Units    int // septets of GSM-7, or code units of UCS-2
	Parts    int // each is paid for
}

// Room is how many units the parts hold.
func (c Count) Room() int {
	switch {
	case c.Encoding == GSM7 && c.Parts <= 1:
		return gsmAlone
	case c.Encoding == GSM7:
		return gsmEach * c.Parts
	case c.Parts <= 1:
		return ucsAlone
	}
	return ucsEach * c.Parts
}

const (
	gsmBasic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
		"¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsmExtended = "^{}\\[~]|€\f" // two septets each: an escape and the character
)

var septets = func() map[rune]int {
	m := map[rune]int{}
	for _, r := range gsmBasic {
		m[r] = 1
	}
	for _, r := range gsmExtended {
		m[r] = 2
	}
	return m
}()

// CountOf counts a text. No part ends inside an escape or a surrogate pair.
func CountOf(text string) Count {
	sizes := make([]int, 0, len(text))
	c := Count{Encoding: GSM7}
	for _, r := range text {
		n, known := septets[r]
		if !known {
			c.Encoding = UCS2
			break
		}
		sizes = append(sizes, n)
	}
	alone, each := gsmAlone, gsmEach
	if c.Encoding == UCS2 {
		alone, each, sizes = ucsAlone, ucsEach, sizes[:0]
		for _, r := range text {
			sizes = append(sizes, max(utf16.RuneLen(r), 1))
		}
	}
	for _, n := range sizes {
		c.Units += n
	}
	if c.Units <= alone {
		c.Parts = min(c.Units, 1)
		return c
	}
	c.Parts = 1
	for used, i := 0, 0; i < len(sizes); i++ {
		if used+sizes[i] > each {
			c.Parts, used = c.Parts+1, 0
		}
		used += sizes[i]
	}
	return c
}

// Outside lists the characters that make a text UCS-2, each once.
func Outside(text string) (list []rune) {
	seen := map[rune]bool{}
	for _, r := range text {
		if _, known := septets[r]; !known && !seen[r] {
			seen[r] = true
			list = append(list, r)
		}
	}
	return list
}
