// Package charsettest has texts of several languages, written for tests, and what puts them into the charsets that they used to be kept in.
package charsettest

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/unicode/norm"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
)

// Language is a sample of one language, written for these tests, and the charsets that it used to be kept in. The tables of the detection were not
// made from these.
type Language struct {
	Name, Text string
	Charsets   string
}

// Languages are the samples.
var Languages = []Language{
	{"german", "Die Bäckerei öffnet früh; für Gäste gibt es süße Brötchen. Größere Bestellungen müssen Sie am Vortag aufgeben, außer an Feiertagen.\nÜber die Straße geht es schneller.\n", "windows-1252 macintosh"},
	{"french", "Le café près de l'église est fermé à midi. Où êtes-vous passés cet été ? Nous avons reçu votre lettre, déjà datée du mois dernier.\nÇa ne fait rien : l'élève a terminé ses leçons.\n", "windows-1252 macintosh"},
	{"spanish", "¿Dónde está la estación? El niño comió una manzana en el jardín después de la lección.\nMañana habrá música y algún baile, según dicen los vecinos.\n", "windows-1252"},
	{"portuguese", "A reunião não começou às três horas, porque ninguém tinha a informação necessária.\nAmanhã haverá pão, café e maçãs para as crianças.\n", "windows-1252"},
	{"swedish", "Färjan går från hamnen på måndag. Vi måste åka hem före kvällen, så att hästarna får mat.\nÄr du säker på att sjön är öppen?\n", "windows-1252"},
	{"polish", "Pociąg spóźnił się o godzinę, więc poszliśmy coś zjeść. Żółw śpi pod łóżkiem, a jeż je gruszkę.\nCzy mogę prosić o książkę?\n", "windows-1250 iso-8859-2"},
	{"czech", "Příliš často jsme čekali na nádraží, až přijede vlak. Děti běžely přes most a křičely.\nŽádný člověk není ostrov, říká učitel.\n", "windows-1250 iso-8859-2"},
	{"hungarian", "Az öreg hídőr minden este begyújt a kályhába, és könyvet olvas. Hűvös szél fúj a folyó felől.\nKérjük, őrizzék meg a jegyüket.\n", "windows-1250 iso-8859-2"},
	{"russian", "Утром старик вышел из дома и пошёл к реке. Вода была холодная, но рыба ловилась хорошо.\nВечером он вернулся домой и долго рассказывал внукам о своей жизни.\n", "windows-1251 koi8-r ibm866 iso-8859-5 x-mac-cyrillic"},
	{"ukrainian", "Сьогодні вранці ми їхали потягом до міста. Її брат чекав на вокзалі з квітами.\nЩо ви робите ввечері, якщо дощ не припиниться?\n", "windows-1251 koi8-u"},
	{"greek", "Το πρωί πήγαμε στην αγορά και αγοράσαμε ψωμί και ελιές. Ο καιρός ήταν πολύ καλός.\nΤο απόγευμα γυρίσαμε στο σπίτι με τα πόδια.\n", "windows-1253 iso-8859-7"},
	{"turkish", "Sabahleyin çarşıya gittik ve biraz ekmek aldık. Çocuklar bahçede oynuyordu, güneş ışığı çok güçlüydü.\nAkşam yağmur yağdı, eve döndük.\n", "windows-1254"},
	{"hebrew", "בבוקר הלכנו לשוק וקנינו לחם וזיתים. מזג האוויר היה נעים מאוד.\nבערב חזרנו הביתה ברגל.\n", "windows-1255"},
	{"arabic", "ذهبنا في الصباح إلى السوق واشترينا الخبز والزيتون. كان الطقس جميلا جدا.\nوفي المساء رجعنا إلى البيت مشيا على الأقدام.\n", "windows-1256"},
	{"thai", "ตอนเช้าเราไปตลาดและซื้อขนมปังกับผลไม้ อากาศดีมาก\nตอนเย็นเราเดินกลับบ้านด้วยกัน\n", "windows-874"},
	{"chinese", "早上我们去市场买了面包和水果，天气很好。孩子们在院子里玩了一整天。\n晚上大家走路回家，路上看见很多星星。\n", "gbk hz-gb-2312"},
	{"taiwanese", "早上我們去市場買了麵包和水果，天氣很好。孩子們在院子裡玩了一整天。\n晚上大家走路回家，路上看見很多星星。\n", "big5"},
	{"japanese", "朝、私たちは市場へ行って、パンと果物を買いました。天気はとても良かったです。\n夕方、みんなで歩いて家に帰りました。\n", "shift_jis euc-jp iso-2022-jp"},
	{"korean", "아침에 우리는 시장에 가서 빵과 과일을 샀습니다. 날씨가 아주 좋았습니다.\n저녁에는 모두 함께 걸어서 집으로 돌아왔습니다.\n", "euc-kr"},
}

// Encode converts a text of ours to a charset, a character that the charset lacks being an error.
func Encode(t testing.TB, s, label string) string {
	t.Helper()
	out, err := TryEncode(s, label)
	if err != nil {
		t.Fatalf("%.30q in %s: %v", s, label, err)
	}
	return out
}

// Apart writes the letters of Vietnamese as windows-1258 has them: the tone as a mark of its own behind the vowel.
func Apart(s string) string {
	var b strings.Builder
	for _, r := range s {
		d := norm.NFD.String(string(r))
		if tone := strings.IndexAny(d, "\u0300\u0301\u0303\u0309\u0323"); tone > 0 {
			// The dot below comes before the mark of the vowel in the canonical order.
			t, size := utf8.DecodeRuneInString(d[tone:])
			b.WriteString(norm.NFC.String(d[:tone]+d[tone+size:]) + string(t))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// iso2022KR writes RFC 1557.
func iso2022KR(s string) (string, error) {
	euc, err := korean.EUCKR.NewEncoder().String(s)
	out, shifted := []byte("\x1b$)C"), false
	for i := range len(euc) {
		high := euc[i] >= 0x80
		if high != shifted {
			shifted = high
			if high {
				out = append(out, 0x0e)
			} else {
				out = append(out, 0x0f)
			}
		}
		out = append(out, euc[i]&0x7f)
	}
	return string(out), err
}

// TryEncode is Encode with an error.
func TryEncode(s, label string) (string, error) {
	var enc encoding.Encoding
	switch label {
	case "utf-8":
		return s, nil
	case "gbk":
		enc = simplifiedchinese.GBK
	case "iso-2022-kr":
		return iso2022KR(s)
	case "windows-1258":
		s = Apart(s)
		enc = charset.Encoding(label)
	default:
		enc = charset.Encoding(label)
	}
	out, err := enc.NewEncoder().String(s)
	if err == nil && !strings.HasPrefix(label, "utf-") && strings.Contains(out, "\x1a") { // how the tables of our own say that they lack something
		return "", errors.New("a character that the charset lacks")
	}
	return out, err
}
