package charset

// A language is what the detection of single-byte charsets knows of one: the letters above ASCII that its texts have, the frequent ones
// first (upper case follows from lower case), and frequent words without any, which say the language whatever the charset.
type language struct {
	letters string
	words   string
}

var (
	french      = &language{"éèàêçôùîâûëïœ", "de la le les et en un une des du que qui dans pour est pas sur au plus ce il ne se par avec son sa"}
	german      = &language{"üäöß", "der die und in den von zu das mit sich des auf ist im dem nicht ein eine als auch es an aus er hat bei nach am"}
	spanish     = &language{"óíáéñúü¿¡ºª", "de la que el en los se del las un por con no una su para es al lo como pero sus le ha"}
	portuguese  = &language{"ãçáéóõíêúâàôº", "de que do da em um para com uma os no se na por mais as dos como mas ao ele das seu sua ou"}
	italian     = &language{"àèùòìé", "di il la che in un per del non sono con si le della da una gli dei al come lo ha alla nel"}
	danish      = &language{"øåæéö", "og det at en den til er som de med af for ikke der var et har men om jeg fra han vi"}
	swedish     = &language{"äåöé", "och det att som en av den med till har de inte om ett men var jag sig vi kan under"}
	finnish     = &language{"äöå", "ja on ei se oli mutta kun kuin ovat joka sen jos niin tai ole"}
	icelandic   = &language{"íáðéóöúþýæ", "og sem var er hann um til en ekki eru hafa hefur svo eftir"}
	catalan     = &language{"àéèíóòçïúü·", "de la el que en les els un per amb una del al no es com dels seva"}
	irish       = &language{"áéíóú", "an na agus ar is go sa le do ag sin seo leis"}
	dutch       = &language{"ëéïèöüêó", "de van het een en in is dat op te zijn met die voor niet aan er ook als maar"}
	albanian    = &language{"ëç", "dhe me nga se por si ka nuk duke edhe mund"}
	mixed       = &language{"éüöäáóíñçèëåøàú", ""} // names from all over in another text
	estonian    = &language{"äõüöšž", "ja on ei et ta see oli mis kui ka aga oma siis mille kes ning"}
	polish      = &language{"łąęóżśćńź", "na do nie jest to od po przez jak dla ale tym co jego oraz czy tak jest ze pan jako"}
	czech       = &language{"íáéěřčýžšůúťďňó", "na se je do to jako by za ve pro ale jeho od po ze si jsou byl tak podle"}
	slovak      = &language{"áíéžčýúšľťôňďäó", "na sa je do aj to ako by za vo pre ale jeho od po zo si bol alebo tak"}
	hungarian   = &language{"éáöóőüíúű", "az egy hogy nem is meg van ez volt csak de mint vagy el ki ha azt mert majd ezt sem pedig"}
	romanianOld = &language{"ăîâşţ", "de in la cu pe un din este care nu se ca pentru mai al lui sau prin fi ale dar cea sunt"} // as it was typed before 2007
	romanian    = &language{"ăîâșț", "de in la cu pe un din este care nu se ca pentru mai al lui sau prin fi ale dar cea sunt"}
	croatian    = &language{"čšžćđ", "je se na da za od su koji iz ne sa kao to ali ili bio biti po do koja"}
	slovenian   = &language{"čšž", "in je na se da za so ki pri tudi po ne kot ali bil od do pa bi"}
	turkish     = &language{"ışğüçöâ", "ve bir bu da de ne ile olarak olan daha var gibi sonra en her ama o ki mi"}
	lithuanian  = &language{"ėšųžįąčūę", "ir kad su tai yra bet ne kaip jo jis buvo apie savo nuo dar tik jau iki prie"}
	latvian     = &language{"āīšēūņļķģžč", "un ir ar no uz par ka bet tas kas pie vai lai tika to ko kad nav"}
	esperanto   = &language{"ĝĉŭŝĵĥ", "la de kaj en estas al ne kun por ke mi li per kiu sed estis"}
	maltese     = &language{"ħżġċàòù", "il ta li minn tal dan kien ma biex mill hija huwa din"}
	sami        = &language{"áčđŋšŧž", "ja lea go dat ahte eai leat"}
	welsh       = &language{"ŵŷâêîôû", "yn ar yr mae am gan ei ac oedd fel wedi"}
	gaelic      = &language{"ḃċḋḟġṁṗṡṫáéíóú", irish.words} // Irish in the old script
	vietnamese  = &language{"đàáôạêảươốếấộìậóịớệíâăòọủúểầờùứợợồăãửềữựỏừắặụũổỉẫẩéýẽỗễởỳẻõĩằỡẳỷẵèẹỵỹ", "cho con trong khi theo ra trong sau"}
	// as windows-1258 spells it
	vietnameseApart = &language{"\u0301\u0300\u0323đ\u0309ưâêôơ\u0303ăáàéèíóòúùýãõ", vietnamese.words}

	greek      = &language{letters: "αοιετσνηυρπκμλςάίόγέήδώχθφύβξζψ"}
	russian    = &language{letters: "оеаинтсрвлкмдпуяыьзбгчйхжшюцщэфъё"}
	ukrainian  = &language{letters: "оаиніврекстлмудпязьгбчйхжшцюїєфщґ"}
	belarusian = &language{letters: "анаіетсрлокдмўыпязьгйбуцчхжшюёэф"}
	bulgarian  = &language{letters: "аоиентрсвлдпкзмбгуъяшщчцхжйюфь"}
	serbian    = &language{letters: "аоиентрсвудјкмлпзгбчштцжхљњћђфџ"}
	macedonian = &language{letters: "аоиентрсвдлкпмугјзбчшцжќѓњхљѕџф"}
	hebrew     = &language{letters: "יוהלאתרבמשנכדקםעפגחצטןסזךףץ"}
	arabic     = &language{letters: "المينرتبوعدسفكهقحجشطصخىةضذأثظغءإآئؤ"}
	persian    = &language{letters: "ایردنهمتسوشبلکخزفگعقپجچحطصژغضثظآئ"}
	thai       = &language{letters: "านรอกเงมยลวดทสตะปบคหแจพชขใไโผถซณญัี่้ิืุู์ำ็ึๆฐธศษฟภฎฮฉ"}
)

// latin are the languages that have words.
var latin = [...]*language{
	french, german, spanish, portuguese, italian, danish, swedish, finnish, icelandic, catalan, irish, dutch, albanian, estonian, polish, czech, slovak,
	hungarian, romanianOld, romanian, croatian, slovenian, turkish, lithuanian, latvian, esperanto, maltese, sami, welsh, vietnamese,
}

var (
	west            = []*language{french, german, spanish, portuguese, italian, danish, swedish, finnish, icelandic, catalan, irish, dutch, albanian, mixed}
	westAndEstonian = []*language{french, german, spanish, portuguese, italian, danish, swedish, finnish, icelandic, catalan, irish, dutch, albanian, mixed, estonian}
	central         = []*language{polish, czech, slovak, hungarian, romanianOld, croatian, slovenian}
	balkan          = []*language{romanian, polish, croatian, slovenian, hungarian}
	southern        = []*language{esperanto, maltese, turkish}
	balts           = []*language{lithuanian, latvian, estonian}
	northern        = []*language{lithuanian, latvian, estonian, danish, swedish, finnish, sami, icelandic}
	rim             = []*language{lithuanian, latvian, estonian, polish, danish, swedish, finnish, slovenian, croatian}
	kyrillic        = []*language{russian, ukrainian, belarusian, bulgarian, serbian, macedonian}
	macCE           = []*language{polish, czech, slovak, hungarian, croatian, slovenian, lithuanian, latvian, estonian}
)

// singleBytes are the candidates among the single-byte charsets. Where two read a text alike the first wins. The priors are for how much
// text there is in each: what was a country's usual charset needs less proof than what hardly left the standard.
var singleBytes = []singleByte{
	{label: "windows-1252", languages: westAndEstonian, prior: 60}, {label: "windows-1251", languages: kyrillic, prior: 10}, {label: "windows-1250", languages: central, prior: 10},
	{label: "iso-8859-2", languages: central}, {label: "koi8-r", languages: kyrillic}, {label: "koi8-u", languages: kyrillic},
	{label: "ibm866", languages: kyrillic}, {label: "iso-8859-5", languages: kyrillic}, {label: "x-mac-cyrillic", languages: kyrillic},
	{label: "windows-1253", languages: []*language{greek}}, {label: "iso-8859-7", languages: []*language{greek}},
	{label: "windows-1255", languages: []*language{hebrew}}, {label: "windows-1256", languages: []*language{arabic, persian}},
	{label: "iso-8859-6", languages: []*language{arabic}}, {label: "windows-1254", languages: []*language{turkish}},
	{label: "windows-874", languages: []*language{thai}}, {label: "windows-1257", languages: balts},
	{label: "windows-1258", languages: []*language{vietnameseApart}, syllables: 7}, {label: "macintosh", languages: west},
	{label: "ibm850", languages: west, prior: -20}, {label: "ibm437", languages: west, prior: -30}, {label: "ibm852", languages: central, prior: -20},
	{label: "x-mac-ce", languages: macCE, prior: -40}, {label: "ibm855", languages: kyrillic, prior: -40}, {label: "ibm1125", languages: kyrillic, prior: -40},
	{label: "ibm737", languages: []*language{greek}, prior: -40}, {label: "ibm857", languages: []*language{turkish}, prior: -40},
	{label: "ibm862", languages: []*language{hebrew}, prior: -40}, {label: "ibm775", languages: balts, prior: -40},
	{label: "x-mac-greek", languages: []*language{greek}, prior: -60}, {label: "x-mac-turkish", languages: []*language{turkish}, prior: -60},
	{label: "iso-8859-15", languages: westAndEstonian, prior: -20}, {label: "iso-8859-13", languages: rim, prior: -40},
	{label: "iso-8859-4", languages: northern, prior: -60}, {label: "iso-8859-10", languages: northern, prior: -80},
	{label: "iso-8859-16", languages: balkan, prior: -60}, {label: "iso-8859-3", languages: southern, prior: -60},
	{label: "iso-8859-14", languages: []*language{welsh, gaelic}, prior: -80}, {label: "viscii", languages: []*language{vietnamese}, prior: -90, syllables: 7},
}

// The most frequent characters of running text. They make up about two thirds of modern and half of classical Chinese.
const (
	simplified  = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运附请查读写字符编码试验输入输出版本流线每步测算第章节兵故胜敌曰矣哉乎也夫凡若焉"
	traditional = "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運附請查讀寫字兵故勝敵曰矣哉乎夫凡若焉"
	kanji       = "日本一国人年大十二中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会社新自者地業方場員立事代明動体手力目理内定実家性的対部化主度政市民合議関経法最当全回面通現要期用作近発開思言点品世知物同保制数調表加引取戦決相務利変連平情報意公和計強機約教受問題記成字文"
	hangul      = "이다는의에을가를은고도지하한로서기사인어리아나라시그것자대으수해들있정보없일과여제만장면게니원전부안거우스내네있습음말요"
)
