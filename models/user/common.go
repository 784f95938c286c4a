package user

import (
	"slices"
	"strings"
	"unicode/utf8"

	"debitdesk/models/fault"
)

// common are the passwords of twelve characters and more that guessing begins with
// (ours: from published lists of leaked ones; shorter ones are refused anyway).
var common = []string{
	"123456789012", "1234567890123", "12345678901234", "123456789012345", "1234567890123456", "012345678901",
	"0123456789012", "111111111111", "000000000000",
	"112233445566", "123123123123", "121212121212", "987654321098", "987654321012", "qwertyuiop12", "qwertyuiop123",
	"qwertyuiop1234", "qwertyuiopas", "qwertyuiop[]",
	"qwertyqwerty", "qwerty123456", "qwerty1234567", "qwerty12345678", "qwerty123456789", "1qaz2wsx3edc",
	"1qaz2wsx3edc4rfv", "q1w2e3r4t5y6", "1q2w3e4r5t6y", "1q2w3e4r5t6y7u8i",
	"asdfghjkl123", "asdfghjkl;'", "zxcvbnm12345", "abcdefghijkl", "abcdefghijklm", "abc123abc123", "abcd12345678",
	"a1b2c3d4e5f6", "aaaaaaaaaaaa", "passwordpassword",
	"password1234", "password12345", "password123456", "password1234567", "password12345678", "password123456789",
	"password123!", "password1234!", "p@ssw0rd1234", "p@ssword1234",
	"passw0rd1234", "mypassword123", "mypassword12", "yourpassword", "newpassword1", "newpassword123", "thisisapassword",
	"changeme1234", "changeme12345", "changemenow1",
	"letmein12345", "letmein123456", "letmeinletmein", "welcome12345", "welcome123456", "welcome12345!", "administrator",
	"administrator1", "admin1234567", "admin12345678", "adminadmin12", "adminadminadmin",
	"iloveyou1234", "iloveyou12345", "iloveyouforever", "sunshine1234", "princess1234", "football1234", "baseball1234",
	"superman1234", "dragon123456", "monkey123456", "michael12345",
	"trustno1trustno1", "secretsecret", "secret123456", "testtesttest", "test12345678", "testing12345", "southafrica1",
	"southafrica123", "johannesburg", "johannesburg1", "capetown1234", "springboks123",
	"bloemfontein", "pietermaritzburg", "debitdesk123", "debitdesk1234", "debitorder12", "correcthorsebatterystaple",
}

// CheckPassword notes what is wrong with a password that somebody chose, at the path.
func CheckPassword(problems *fault.Problems, at, email, password string) {
	low := strings.ToLower(strings.TrimSpace(password))
	switch n := utf8.RuneCountInString(password); {
	case n < MinPassword:
		problems.Add(at, "min_length", "A password has at least %d characters.", MinPassword)
	case n > MaxPassword:
		problems.Add(at, "max_length", "A password has at most %d characters.", MaxPassword)
	case low == strings.ToLower(strings.TrimSpace(email)):
		problems.Add(at, "password_is_email",
			"Your e-mail address is the first thing that an attacker would try. Choose another password.")
	case slices.Contains(common, low):
		problems.Add(at, "password_common",
			"This password is among the first that an attacker would try. Choose another one.")
	}
}
