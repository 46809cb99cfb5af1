package font

// standardStrings is how many characters sidRunes has.
const standardStrings = 391

// runeAt returns a character of a table, 0 if there is none.
func runeAt(table string, i int) rune {
	for _, r := range table {
		if i == 0 {
			return r
		}
		i--
	}
	return 0
}

// sidRunes are the characters of the standard strings of CFF (Adobe Technical Note 5176, appendix A), which name glyphs; NUL for those that
// do not. Small capitals are the small letters that they are written for, old-style figures are figures.
const sidRunes = "" +
	"\x00 !\"#$%&’()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^" +
	"_‘abcdefghijklmnopqrstuvwxyz{|}~¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿`´ˆ˜" +
	"¯˘˙¨˚¸˝˛ˇ—ÆªŁØŒºæıłøœß¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕ" +
	"ŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž!˝$$&´⁽⁾‥․0123456789,—.?ab¢" +
	"deⁱlmⁿorstﬀﬃﬄ₍₎ˆ-`abcdefghijklmnopqrstuvwxyz₡1₨˜¡¢łšž¨˘ˇ˙¯‒-˛˚¸¿" +
	"⅛⅜⅝⅞⅓⅔⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉¢$.,àáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþÿ\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00"

// macExpert are the characters of MacExpertEncoding (ISO 32000-1, D.4) from the space on, likewise.
const macExpert = "" +
	" !˝¢$$&´⁽⁾‥․,-.⁄0123456789:;\x00—\x00?\x00\x00\x00\x00ð\x00\x00¼½¾⅛⅜⅝⅞⅓⅔\x00\x00\x00\x00\x00\x00ﬀﬁﬂﬃﬄ₍\x00₎ˆ-" +
	"`abcdefghijklmnopqrstuvwxyz₡1₨˜\x00\x00a¢\x00\x00\x00\x00áàâäãåçéèêëíìîïñóòôöõúùûü" +
	"\x00⁸₄₃₆₈₇š\x00¢₂\x00¨\x00ˇo₅\x00,.ý\x00$\x00\x00þ\x00₉₀žæø¿₁ł\x00\x00\x00\x00\x00\x00¸\x00\x00\x00\x00\x00œ‒-\x00\x00\x00\x00¡\x00ÿ\x00¹²³⁴⁵⁶" +
	"⁷⁹⁰\x00ert\x00\x00ⁱsd\x00\x00\x00\x00\x00l˛˘¯bⁿm,.˙˚\x00\x00\x00\x00"
