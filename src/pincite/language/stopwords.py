"""Small lists of function words: no content words, which would be lost from questions."""

from collections.abc import Mapping
from functools import cache

_LISTS: Mapping[str, str] = {
    "ar": "من في على إلى الى عن مع أن ان إن أو او و ف ب ل ما ماذا هل كم كيف أين اين متى لماذا من هو هي هم هذا هذه ذلك تلك الذي التي "
    "الذين كان كانت يكون تكون قد لقد لم لن لا ليس ليست كل أي اي بعض بين حتى ثم كما عند بعد قبل منذ حيث إذا اذا لكن بل غير أيضا "
    "له لها لهم به بها فيه فيها عليه عليها منه منها وهو وهي ومن وفي وقد وكان والتي والذي وهذا بما مما عندما خلال ضد",
    "bg": "и в на с за от по до да не е са се си че от който която което които как какво кой коя кое кои къде кога защо но или а бе бил "
    "била било били ще би като при през след преди над под между без този тази това тези тя той то те го ги му й им ни ви ми аз ти",
    "ca": "el la els les l un una uns unes de del dels d a al als en amb per i o que què qui com quan on quin quina quins quines no es és "
    "són era ser ha han va van si però més molt aquest aquesta aquests aquestes això seu seva seus seves s hi ho li",
    "cs": "a i v ve na s se si z ze do od po pro při o u k ke za že je jsou byl byla bylo byli být bude budou ne ale nebo jak co kdo kdy "
    "kde proč který která které kteří jaký jaká jaké tento tato toto tyto ten ta to ti ty on ona ono oni jeho její jejich svůj by aby "
    "jako než také už jen má mají mezi nad pod před",
    "da": "og i på af til med for den det de en et er var har havde at som der om ikke han hun jeg du vi dem sig sin sit sine fra ved men "
    "eller hvad hvem hvor hvornår hvorfor hvordan hvilken hvilket hvilke blev bliver blive kan skal vil efter før under over denne "
    "dette disse deres hans hendes være været så",
    "de": "der die das den dem des ein eine einer eines einem einen und oder aber in im an am auf aus bei beim mit nach von vom zu zum zur "
    "über unter durch für gegen ohne um vor zwischen ist sind war waren sein wird werden wurde wurden worden hat haben hatte hatten "
    "kann können konnte soll sollte muss will nicht kein keine als wie wenn ob dass daß was wer wem wen wessen wo wann warum welche "
    "welcher welches welchem welchen sich er sie es wir ihr ihre ihrer ihren ihrem sein seine seiner seinen seinem ich man auch noch "
    "nur so diese dieser dieses diesem diesen jener dort da dann dessen deren bis",
    "el": "ο η το οι τα του της των τον την τη στο στη στην στον στα στις στους από για με σε και ή να θα δεν μη μην που ποιος ποια ποιο "
    "ποιοι ποιες ποιου ποιας ποιον ποιων πού πώς πόσο πόσα πόσοι πόσες πότε γιατί τι ότι είναι ήταν έχει έχουν είχε είχαν ως όπως αλλά "
    "αν αυτό αυτή αυτός αυτά αυτές αυτοί αυτών αυτού αυτής ένα μια μία ένας έναν ενός μιας τους τις μας σας κατά προς μεταξύ όταν πριν "
    "μετά κάθε δε",
    "en": "a an the and or but nor if of at by for with about against between into through during before after above below to from in on "
    "off over under as is am are was were be been being has have had having do does did doing done will would shall should can could "
    "may might must not no i me my we our ours you your yours he him his she her hers it its they them their theirs this that these "
    "those there here what which who whom whose when where why how than then so such too very just also s t d ll re ve m don didn "
    "doesn isn wasn weren aren won",
    "es": "el la los las lo un una unos unas de del a al en con por para y e o u que qué quien quién quienes quiénes como cómo cuando "
    "cuándo donde dónde cual cuál cuales cuáles cuanto cuánto cuantos cuántos cuanta cuánta cuantas cuántas porque no se su sus es son "
    "era eran fue fueron ser sido está están estaba ha han había he hay si sí pero más este esta estos estas ese esa esos esas esto "
    "eso le les me te nos mi tu ya muy sobre entre sin hasta desde durante según también",
    "fa": "و در به از که این آن را با برای است بود شد می شده شدند بودند هستند باشد یا تا هم یک بر چه چی کی کجا چرا چگونه چند کدام آیا اما "
    "اگر نیز پس هر نه خود او آنها ما شما من کرد کرده کردند کند کنند دارد دارند داشت ای های ها",
    "fi": "ja on ei se että oli ovat olivat mutta tai sekä kuin myös hän he ne tämä nämä joka jotka jonka jota mikä mitä mitkä kuka ketkä "
    "milloin missä mistä mihin miksi miten kuinka hänen heidän sen niiden olla ole ollut olleet voi jos kun niin vai eivät oliko onko "
    "minkä kenen",
    "fr": "le la les l un une des de du d à au aux en dans par pour sur sous avec sans chez entre et ou mais donc que qu qui quoi dont où "
    "quand comment combien pourquoi quel quelle quels quelles lequel laquelle est sont était étaient être été a ont avait avaient avoir "
    "fut furent sera ne n pas plus ce c cet cette ces se s sa son ses leur leurs il elle ils elles on je j tu nous vous me m te t y si "
    "comme aussi même lors depuis vers lui eux",
    "he": "של את על עם אל מן אם או גם לא כן הוא היא הם הן אני אתה אנחנו זה זו זאת אלה אלו היה היתה הייתה היו יהיה להיות יש אין כי אשר מה מי "
    "מתי איפה היכן איך כיצד למה מדוע כמה איזה איזו אילו כל רק אך אבל בין לפני אחרי כדי הזה הזאת",
    "hi": "का के की को में से पर ने है हैं था थी थे हो होता होती होते हुआ हुई हुए और या कि जो यह वह ये वे इस उस इन उन इसके उसके इसकी उसकी "
    "इसका उसका उनके उनकी उनका इसे उसे एक भी ही तो तक लिए द्वारा साथ क्या कौन कौनसा कौनसी किस किसने किसके किसकी किसका किन कब कहाँ कहां "
    "क्यों कैसे कितने कितना कितनी गया गई गए रहा रही रहे कर करने करना करता करते करती किया नहीं न अपने अपनी अपना बाद जब तब जिस जिसने जिसके "
    "जिसे वाला वाली वाले सकता सकते सकती दिया",
    "hu": "a az és egy nem is hogy volt van vannak voltak ez ezt azt ezek azok meg de vagy mint ki mi mit kik mik mikor hol hova honnan "
    "miért hogyan melyik milyen mennyi hány aki ami amely akik amelyek csak már még el ha sem szerint által után előtt között volna lesz "
    "lett",
    "id": "yang dan di ke dari untuk dengan pada oleh dalam adalah ini itu atau tidak bukan akan telah sudah sebagai juga dapat bisa ada "
    "apa siapa kapan mana dimana mengapa bagaimana berapa ia dia mereka kami kita saya anda nya karena jika agar bahwa tetapi namun para "
    "sebuah seorang antara",
    "it": "il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal dallo dalla dai dagli "
    "dalle in nel nello nella nei negli nelle con su sul sullo sulla sui sugli sulle per tra fra e ed o ma che chi cosa come quando dove "
    "perché quale quali quanto quanta quanti quante qual non si è sono era erano essere stato stata stati state ha hanno aveva fu furono "
    "suo sua suoi sue loro questo questa questi queste quello quella se più anche ci ne lui lei cui",
    "ja": "これ それ あれ この その どの どこ だれ 何が 何を 何で なに なん です ます した して する いる ある から まで より では には とは のは "
    "とし たか すか ました ですか",
    "ko": "무엇 누구 언제 어디 어떤 어떻 얼마 입니 니다 니까 습니 이다 인가 는가 였다 하는 하고 에서 으로 에게",
    "nl": "de het een en of maar in op aan van voor met bij door uit over onder tot naar om te is zijn was waren wordt worden werd werden "
    "geworden heeft hebben had hadden kan kunnen zal zou moet niet geen als dan dat die deze dit wat wie waar wanneer waarom hoe welke "
    "welk er hij zij ze ik je u we hun haar hem zich ook nog wel tussen tegen na",
    "no": "og i på av til med for den det de en ei et er var har hadde at som om ikke han hun jeg du vi dem seg sin sitt sine fra ved men "
    "eller hva hvem hvor når hvorfor hvordan hvilken hvilket hvilke ble blir bli kan skal vil etter før under over denne dette disse "
    "deres hans hennes være vært så",
    "pl": "i w we na z ze do od po za o u przy przez dla nad pod przed między że jest są był była było byli były być będzie nie ale lub albo "
    "czy jak co kto kiedy gdzie dlaczego który która które którzy których którym jaki jaka jakie ten ta to ci te tego tej tych tym on "
    "ona ono oni jego jej ich się aby także już tylko oraz a ma mają ile został została",
    "pt": "o a os as um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para com sem sob sobre entre e ou "
    "mas que quem qual quais quando onde como quanto quantos quanta quantas porque não se é são era eram foi foram ser sido está estão "
    "tem têm tinha há seu sua seus suas este esta estes estas esse essa isso isto ele ela eles elas ao aos à às já mais também até",
    "ro": "și si în in la de pe cu din pentru prin după dupa între fără sub spre despre un o unei unui al ai ale a cel cea cei cele lui este "
    "e sunt era erau fi fost a au avea avut va vor nu sau dar ci iar că ca care cine ce când cand cum cât câți câte unde acest această "
    "acestui acestei aceste acești său sa săi sale lor se s să sa mai el ea ei ele îl îi i l le cărui cărei căror către atunci decât",
    "ru": "и в во на с со к ко у о об от до по за из для при про через над под между без не ни но а или же ли бы что чтобы как кто кого кому "
    "кем чем чего чему где когда куда откуда почему зачем какой какая какое какие каком какую каких какого каким какими какова каков "
    "который которая которое которые которого которой которых которым которую сколько это этот эта эти этого этой этих тот та те того то "
    "он она оно они его её ее их ему ей им был была было были быть есть является являются я мы вы ты свой своей своего также так уже "
    "только если чём",
    "sv": "och i på av till med för den det de en ett är var har hade att som om inte han hon jag du vi dem sig sin sitt sina från vid men "
    "eller vad vem var när varför hur vilken vilket vilka blev blir bli kan ska skulle efter före under över denna detta dessa deras "
    "hans hennes vara varit så än",
    "ta": "ஒரு மற்றும் இந்த அந்த என்று என இது அது எந்த என்ன யார் எப்போது எங்கே ஏன் எப்படி எத்தனை அல்லது ஆகும் உள்ள இருந்து வேண்டும் போன்ற "
    "தான் ஆனால் அவர் அவர்கள்",
    "tr": "ve ile bir bu şu o da de ki mi mı mu mü için gibi kadar ne neden niçin nasıl nerede nereye nereden kim kimin kimi hangi kaç "
    "olan olarak oldu olduğu olur idi ise ya veya ama fakat en çok daha göre sonra önce her hiç değil var yok onun onlar onların bunun "
    "tarafından nedir kimdir midir mıdır ın in un ün nın nin nun nün dır dir",
    "uk": "і й та в у на з із зі до від по за для при про через над під між без не ні але або чи же би б що щоб як хто кого кому ким чим чого "
    "де коли куди звідки чому навіщо який яка яке які якого якої яких яким скільки це цей ця ці цього той та те ті він вона воно вони "
    "його її їх йому їй їм був була було були бути є я ми ви ти свій також так вже лише якщо",
    "ur": "کا کے کی کو میں سے پر نے ہے ہیں تھا تھی تھے اور یا کہ جو یہ وہ اس ان ایک بھی ہی تو تک لیے کیا کون کس کب کہاں کیوں کیسے کتنے کتنا "
    "کتنی گیا گئی گئے رہا رہی رہے کر کرنے کرتا کرتے کیا نہیں اپنے اپنی",
    "vi": "là và của các những một có được trong cho với từ đến ở tại về do bởi để khi nào gì ai đâu sao thế bao nhiêu mấy này đó kia ấy "
    "đã đang sẽ không chưa cũng rất hay hoặc nhưng mà thì nên nếu vì như ra vào lên xuống bị theo trên dưới giữa sau trước cái con "
    "người ta họ nó ông bà tôi chúng đây",
    "zh": "什么 甚么 哪个 哪些 哪里 哪一 多少 几个 怎么 怎样 如何 为何 什麼 哪個 哪裡 怎麼 多久 是谁 是誰 谁是 这个 那个 是什 的是 是在 了什 么是 么时 时候 "
    "么样 是哪 在哪 于哪 有多 有什 在什 的什 吗",
}


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Return the function words of an ISO 639-1 code in the form of `words`; empty where there is no list."""
    return frozenset(_LISTS.get(lang, "").split())


def listed_languages() -> tuple[str, ...]:
    """Return the codes that have a list."""
    return tuple(_LISTS)
