package charset

// An alphabet is the letters above ASCII that one language's texts have, the frequent ones first. They are all that the detection of
// single-byte charsets knows of a language; upper case follows from lower case.
var (
	western = []string{
		"éèàêçôùîâûëïœ",         // French
		"üäöß",                  // German
		"óíáéñúü¿¡ºª",           // Spanish
		"ãçáéóõíêúâàôº",         // Portuguese
		"àèùòìé",                // Italian
		"äåöøæé",                // Nordic
		"íáðéóöúþýæ",            // Icelandic
		"éüöäáóíñçèëïåøàúâêîôû", // names from all over in another text
	}
	central = []string{
		"łąęóżśćńź",       // Polish
		"íáéěřčýžšůúťďňó", // Czech
		"áíéžčýúšľťôňďäó", // Slovak
		"éáöóőüíúű",       // Hungarian
		"ăîâşţ",           // Romanian
		"čšžćđ",           // Croatian, Slovenian
	}
	turkish = []string{"ışğüçöâ"}
	baltic  = []string{
		"ėšųžįąčūę",   // Lithuanian
		"āīšēūņļķģžč", // Latvian
		"äõüöšž",      // Estonian
	}
	greek    = []string{"αοιετσνηυρπκμλςάίόγέήδώχθφύβξζψ"}
	cyrillic = []string{
		"оеаинтсрвлкмдпуяыьзбгчйхжшюцщэфъё", // Russian
		"оаиніврекстлмудпязьгбчйхжшцюїєфщґ", // Ukrainian
		"аоиентрсвлдпкзмбгуъяшщчцхжйюфь",    // Bulgarian
		"аоиентрсвудјкмлпзгбчштцжхљњћђфџ",   // Serbian
	}
	hebrew = []string{"יוהלאתרבמשנכדקםעפגחצטןסזךףץ"}
	arabic = []string{"المينرتبوعدسفكهقحجشطصخىةضذأثظغءإآئؤ"}
	thai   = []string{"านรอกเงมยลวดทสตะปบคหแจพชขใไโผถซณญัี่้ิืุู์ำ็ึๆฐธศษฟภฎฮฉ"}
)

// singleBytes are the candidates among the single-byte charsets. Where two read a text alike the first wins.
var singleBytes = []singleByte{
	{label: "windows-1252", alphabets: western, prior: 6}, {label: "windows-1251", alphabets: cyrillic}, {label: "windows-1250", alphabets: central},
	{label: "iso-8859-2", alphabets: central}, {label: "koi8-r", alphabets: cyrillic}, {label: "koi8-u", alphabets: cyrillic},
	{label: "ibm866", alphabets: cyrillic}, {label: "iso-8859-5", alphabets: cyrillic}, {label: "x-mac-cyrillic", alphabets: cyrillic},
	{label: "windows-1253", alphabets: greek}, {label: "iso-8859-7", alphabets: greek}, {label: "windows-1255", alphabets: hebrew},
	{label: "windows-1256", alphabets: arabic}, {label: "windows-1254", alphabets: turkish}, {label: "windows-874", alphabets: thai},
	{label: "windows-1257", alphabets: baltic}, {label: "macintosh", alphabets: western},
}

// The most frequent characters of running text. They make up about two thirds of modern and half of classical Chinese.
const (
	simplified  = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运附请查读写字符编码试验输入输出版本流线每步测算第章节兵故胜敌曰矣哉乎也夫凡若焉"
	traditional = "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運附請查讀寫字兵故勝敵曰矣哉乎夫凡若焉"
	hangul      = "이다는의에을가를은고도지하한로서기사인어리아나라시그것자대으수해들있정보없일과여제만장면게니원전부안거우스내네있습음말요"
)
