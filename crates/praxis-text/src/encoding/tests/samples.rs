//! Natural text in the encodings people still have files in, written for these tests.

/// A text, long and short, and the encoding its files are in.
pub(crate) struct Sample {
    pub(crate) encoding: &'static str,
    pub(crate) long: &'static str,
    pub(crate) short: &'static str,
}

const RUSSIAN: &str = "\
Этот файл описывает, как программа читает настройки пользователя.
Сначала она ищет их в домашней папке, потом в папке проекта, и только в конце берёт значения по умолчанию.
Если строка начинается с решётки, она считается примечанием и не читается.
Ошибки записываются в журнал вместе с номером строки, чтобы их было легко найти.
";
const RUSSIAN_SHORT: &str = "# Настройки программы и имя пользователя\nname = test\n";
const CHINESE: &str = "\
本文件说明程序如何读取用户的设置。程序首先在用户的主目录中查找，然后在项目目录中查找，最后才使用默认值。
如果一行以井号开头，那么这一行就是注释，程序不会读取它。所有的错误都会连同行号一起写入日志，这样更容易找到问题所在。
修改之后请重新启动程序，否则新的设置不会生效。如果还有不明白的地方，可以先看看我们的网站，那里有更多的例子和说明。
我们希望这个工具能够让大家的工作变得更加简单，也欢迎你把自己的想法告诉我们，帮助我们把它做得更好。
";
const JAPANESE: &str = "\
このファイルは、プログラムが利用者の設定をどのように読み込むかを説明しています。
最初にホームフォルダーを探し、次にプロジェクトのフォルダーを探し、最後に既定の値を使います。
行がシャープ記号で始まる場合、その行はコメントとして扱われ、読み込まれません。
エラーは行番号と一緒に記録されるので、簡単に見つけることができます。設定を変更したら、プログラムを再起動してください。
そうしないと、新しい設定は有効になりません。
";
const JAPANESE_SHORT: &str = "// 設定ファイルを読み込んで値を返します\nint load();\n";
const POLISH: &str = "\
Ten plik opisuje, w jaki sposób program odczytuje ustawienia użytkownika. Najpierw szuka ich w katalogu domowym,
następnie w katalogu projektu, a dopiero na końcu używa wartości domyślnych. Jeżeli wiersz zaczyna się od krzyżyka,
jest traktowany jako komentarz i zostaje pominięty. Błędy są zapisywane w dzienniku razem z numerem wiersza, żeby
można je było łatwo znaleźć. Po każdej zmianie trzeba uruchomić program ponownie, bo inaczej nic się nie zmieni.
";
const CZECH: &str = "\
Tento soubor popisuje, jak program čte nastavení uživatele. Nejdříve je hledá v domovské složce, potom ve složce
projektu a teprve nakonec použije výchozí hodnoty. Pokud řádek začíná křížkem, považuje se za poznámku a přeskočí se.
Chyby se zapisují do deníku společně s číslem řádku, aby se daly snadno najít. Po každé změně je třeba program znovu
spustit, jinak se žádná změna neprojeví. Další příklady najdete na našich stránkách, těšíme se také na vaše dotazy.
";
const FRENCH: &str = "\
Ce fichier décrit la façon dont le programme lit les réglages de l'utilisateur. Il les cherche d'abord dans le dossier
personnel, ensuite dans le dossier du projet, et seulement à la fin il utilise les valeurs par défaut. Une ligne qui
commence par un dièse est considérée comme une remarque et n'est pas lue. Les erreurs sont notées dans le journal avec
leur numéro de ligne pour être retrouvées plus facilement. Après chaque changement, il faut redémarrer le programme.
";

/// The encodings that must be recognised.
pub(crate) const SAMPLES: [Sample; 15] = [
    Sample { encoding: "UTF-8", long: JAPANESE, short: RUSSIAN_SHORT },
    Sample { encoding: "UTF-16LE", long: FRENCH, short: RUSSIAN_SHORT },
    Sample { encoding: "UTF-16BE", long: CHINESE, short: JAPANESE_SHORT },
    Sample { encoding: "GBK", long: CHINESE, short: "// 读取用户的配置文件并返回结果\nint load();\n" },
    Sample {
        encoding: "gb18030",
        long: concat!(
            "这个文件里有一些很少用的字和符号，例如藏文和表情符号，它们只能用四个字节来表示。\n",
            "程序必须正确地读取这些字，而且在修改别的地方的时候不能改变它们。😀 བོད་ཡིག 😀\n",
            "如果出现错误，请把文件的名字和行号一起告诉我们，我们会尽快找到原因并且修改程序。\n",
            "在这之前，你也可以先使用以前的版本，那个版本没有这个问题，只是运行得慢一点。还有什么问题都可以问我们，\n",
            "我们会在一天之内回答。谢谢大家一直以来对我们工作的支持和帮助，希望以后也能得到大家的意见。\n",
        ),
        short: "// 读取用户的配置文件并返回结果 😀\nint load();\n",
    },
    Sample { encoding: "Shift_JIS", long: JAPANESE, short: JAPANESE_SHORT },
    Sample { encoding: "EUC-JP", long: JAPANESE, short: JAPANESE_SHORT },
    Sample {
        encoding: "EUC-KR",
        long: "\
이 파일은 프로그램이 사용자의 설정을 어떻게 읽는지 설명합니다. 먼저 사용자의 홈 폴더에서 설정을 찾고, 그다음에 프로젝트 폴더에서 찾으며,
마지막으로 기본값을 사용합니다. 줄이 우물 정 자로 시작하면 그 줄은 주석으로 처리되고 읽지 않습니다.
오류는 줄 번호와 함께 기록되므로 쉽게 찾을 수 있습니다. 설정을 바꾼 뒤에는 프로그램을 다시 시작해 주세요.
그렇지 않으면 새로운 설정이 적용되지 않습니다. 더 많은 예는 우리 웹 사이트에서 볼 수 있습니다.
",
        short: "// 사용자의 설정 파일을 읽고 결과를 반환한다\nint load();\n",
    },
    Sample {
        encoding: "Big5",
        long: "\
本文件說明程式如何讀取使用者的設定。程式首先在使用者的主目錄中尋找，然後在專案目錄中尋找，最後才使用預設值。
如果一行以井號開頭，那麼這一行就是註解，程式不會讀取它。所有的錯誤都會連同行號一起寫入日誌，這樣更容易找到問題所在。
修改之後請重新啟動程式，否則新的設定不會生效。如果還有不明白的地方，可以先看看我們的網站，那裡有更多的例子和說明。
我們希望這個工具能夠讓大家的工作變得更加簡單，也歡迎你把自己的想法告訴我們，幫助我們把它做得更好。
",
        short: "// 讀取使用者的設定檔案並傳回結果\nint load();\n",
    },
    Sample { encoding: "windows-1250", long: POLISH, short: "# Błąd: żądanie zostało odrzucone, spróbuj jeszcze raz\n" },
    Sample { encoding: "windows-1251", long: RUSSIAN, short: RUSSIAN_SHORT },
    Sample {
        encoding: "windows-1252",
        long: FRENCH,
        short: "# Größe der Schlüssel wird später geprüft – „bitte nicht ändern“\n",
    },
    Sample { encoding: "ISO-8859-2", long: CZECH, short: "# Příliš žluťoučký kůň úpěl ďábelské ódy, že ano\n" },
    Sample {
        encoding: "ISO-8859-15",
        long: "\
Le cœur du programme lit les réglages de l'utilisateur. Il les cherche d'abord dans le dossier personnel, ensuite dans
celui du projet, et seulement à la fin il utilise les valeurs par défaut. Le prix de la licence est de 20 € par année,
les œuvres complètes coûtent 150 €. Une ligne qui commence par un dièse est considérée comme une remarque.
",
        short: "# Le prix de l'œuvre complète est de 20 € à présent\n",
    },
    Sample { encoding: "KOI8-R", long: RUSSIAN, short: RUSSIAN_SHORT },
];
