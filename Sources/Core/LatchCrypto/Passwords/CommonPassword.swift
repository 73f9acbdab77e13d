// SPDX-License-Identifier: Apache-2.0

/// The passwords that attackers try first, as rules instead of a list (NIST SP 800-63B-4 §3.1.1.2).
///
/// Lists of leaked passwords consist of few forms: one or two common words with digits, a walk over the keyboard, a
/// date, a repetition. So a rule also refuses what no list has yet, such as the current year after a word.
///
/// The server's pages have the same rules in a script, which is compared with these.
package enum CommonPassword {
    /// Returns whether a password is among the first guesses.
    ///
    /// - Parameter names: Further words that an attacker knows, in lower case; see ``names(of:)``.
    package static func matches(_ password: String, knowing names: [String]) -> Bool {
        guard password != exception else { return false }
        let text = Array(password.lowercased().unicodeScalars)
        guard text.count <= longest else { return Set(text).count == 1 || names.contains(string(text[...])) }
        return names.contains(string(text[...])) || isRepetition(text) || isWalk(text) || isDate(text)
            || isWord(text, names)
    }

    /// Returns the words of an address that an attacker tries: all of it, its name, and its domain up to the first dot.
    package static func names(of address: String) -> [String] {
        let address = address.lowercased()
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return [address] }
        let domain = parts[1].prefix { $0 != UInt8(ascii: ".") }
        return [address] + [parts[0], domain].compactMap { String($0) }.filter { !$0.isEmpty }
    }

    /// The characters up to which a password is compared: a longer one is not guessed early, unless it is one character.
    private static let longest = 32

    /// The password in the documents of clients that have to work with this server.
    package static let exception = "Secret123!"

    // MARK: Words

    /// Whether the text is a common word, or two, with digits and up to two signs before or after it.
    private static func isWord(_ text: [Unicode.Scalar], _ names: [String]) -> Bool {
        let inner = text.indices.filter { isLetter(text[$0]) }
        let replaced = text.indices.map { index in
            ((inner.first ?? 0)...(inner.last ?? 0)).contains(index) ? plain[text[index]] ?? text[index] : text[index]
        }
        return [text, replaced, text.map { plain[$0] ?? $0 }].contains { text in
            guard let first = text.firstIndex(where: isLetter), let last = text.lastIndex(where: isLetter) else {
                return false
            }
            let rest = [text[..<first], text[(last + 1)...]]
            guard rest.allSatisfy(isFilling) else { return false }
            return isKnown(text[first...last], names)
        }
    }

    private static func isKnown(_ core: ArraySlice<Unicode.Scalar>, _ names: [String]) -> Bool {
        func isOne(_ part: ArraySlice<Unicode.Scalar>) -> Bool {
            let word = string(part)
            return words.contains(word) || names.contains(word)
        }
        if isOne(core) || isWalk(Array(core)) { return true }
        guard core.count >= 6 else { return false }
        return (core.startIndex + 3...core.endIndex - 3).contains { isOne(core[..<$0]) && isOne(core[$0...]) }
    }

    /// Whether the characters beside a word are those that others add, too: up to four digits, or a sequence, and up to
    /// two signs.
    private static func isFilling(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let digits = text.filter(isDigit)
        let signs = text.count - digits.count
        return signs <= 2 && (digits.count <= 4 || isWalk(digits) || isRepetition(digits) || isDate(digits))
    }

    // MARK: Forms

    /// Whether the text repeats a part of at most a third of it, or of four characters, or each character of a walk.
    private static func isRepetition(_ text: [Unicode.Scalar]) -> Bool {
        let pairs = stride(from: 0, to: text.count - 1, by: 2).map { (text[$0], text[$0 + 1]) }
        if text.count.isMultiple(of: 2), pairs.allSatisfy({ $0 == $1 }), isWalk(pairs.map(\.0)) { return true }
        return (1...max(text.count / 3, 4)).contains { length in
            text.count > 1 && length * 2 <= text.count
                && text.indices.dropFirst(length).allSatisfy { text[$0] == text[$0 - length] }
        }
    }

    /// Whether the text consists of few steps along the alphabet, the digits, or the rows and columns of a keyboard.
    private static func isWalk(_ text: [Unicode.Scalar]) -> Bool {
        guard text.count >= 4 else { return false }
        var (rest, parts) = (text[...], 0)
        while !rest.isEmpty {
            let taken = walks.map { commonLength(rest, $0) }.max() ?? 0
            guard taken >= 3 else { return false }
            rest = rest.dropFirst(taken)
            parts += 1
            guard parts <= 3 else { return false }
        }
        return true
    }

    /// Returns how many characters at the beginning of a text are one part of a walk.
    private static func commonLength(_ text: ArraySlice<Unicode.Scalar>, _ walk: [Unicode.Scalar]) -> Int {
        walk.indices.map { start in
            zip(text, walk[start...]).prefix { $0 == $1 }.count
        }.max() ?? 0
    }

    /// Whether the text is a date of eight digits with a year from 1900 to 2099.
    private static func isDate(_ text: [Unicode.Scalar]) -> Bool {
        guard text.count == 8, let number = Int(string(text[...])) else { return false }
        func isDay(_ first: Int, _ second: Int) -> Bool {
            (1...31).contains(first) && (1...12).contains(second)
                || (1...12).contains(first) && (1...31).contains(second)
        }
        let (start, end) = (number / 10_000, number % 10_000)
        return (1900...2099).contains(start) && isDay(end / 100, end % 100)
            || (1900...2099).contains(end) && isDay(start / 100, start % 100)
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }
    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (0x30...0x39).contains(scalar.value) }
    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// The letters that digits and signs stand for.
    package static let plain: [Unicode.Scalar: Unicode.Scalar] = [
        "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
    ]

    /// The walks in both directions.
    private static let walks: [[Unicode.Scalar]] = paths.flatMap { path in
        [Array(path.unicodeScalars), Array(path.unicodeScalars.reversed())]
    }

    /// The alphabet, the digits, and ways over keyboards.
    package static let paths = [
        "abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm",
        "azertyuiop", "qsdfghjklm", "wxcvbn", "1qaz", "2wsx", "3edc", "4rfv", "5tgb", "1q2w3e4r5t6y7u8i9o0p",
        "q1w2e3r4t5y6",
        "qazwsxedcrfvtgb", "1qazxsw2", "147258369", "159357", "741852963", "qweasdzxc", "123qwe",
    ]

    private static let words = Set(wordList.unicodeScalars.split(separator: " ").map { String($0) })

    /// Words of leaked passwords in several languages, in lower case, with spaces between them.
    package static let wordList = """
        password passwort passwd pass passe motdepasse contrasena contraseña wachtwoord senha parola haslo login admin \
        administrator root user guest test tester testing demo default changeme letmein welcome willkommen bienvenue \
        bienvenido hello hallo bonjour hola ciao secure security sicher access master system server computer internet \
        network windows linux apple google android samsung iphone nokia galaxy facebook youtube twitter instagram amazon \
        qwerty qwertz azerty asdf zxcv abc iloveyou loveyou ilove love lover lovely loveme liebe schatz amor amour teamo tequiero \
        jetaime princess prinzessin princesa queen king prince angel angels engel heaven devil lucky happy smile smiley \
        sunshine sonne soleil flower flowers rose blume butterfly summer sommer winter spring autumn herbst january \
        february march april june july august september october november december monday friday sunday football \
        fussball futbol soccer baseball basketball hockey tennis golf cricket rugby racing runner sport sports \
        arsenal chelsea liverpool manchester united barcelona realmadrid madrid juventus bayern dortmund schalke \
        eagles cowboys steelers packers lakers yankees redsox rangers celtic dallas chicago boston london paris berlin \
        hamburg münchen munich newyork texas florida california germany deutschland america france brasil mexico india \
        superman batman spiderman ironman starwars startrek pokemon naruto matrix hunter dragon dragons drachen monkey \
        tiger tigger lion wolf eagle falcon shadow ninja samurai killer death metal metallica slipknot nirvana eminem \
        guitar music musik rock rockstar rocky player gamer gaming minecraft fortnite warcraft counter diablo mario zelda \
        playboy sexy sex fuck fuckyou fuckoff asshole bitch pussy hottie cutie baby babygirl babyboy honey sweet sweetie \
        sugar cookie cookies chocolate schokolade banana orange cherry apple peach pepper ginger coffee kaffee pizza \
        cheese chicken bacon whiskey vodka beer bier wine silver golden gold diamond crystal purple yellow green blue \
        black white red pink violet mustang ferrari porsche mercedes bmw audi toyota honda yamaha suzuki harley corvette \
        camaro kawasaki ducati charlie buddy bailey max bella lucy molly daisy maggie sophie rex bandit snoopy garfield simba \
        hunde hund katze katzen kitty kitten cat cats dog dogs doggy puppy horse pferd pony rabbit hamster fish \
        michael michelle jessica jennifer ashley amanda nicole daniel danielle andrew matthew joshua anthony thomas robert \
        richard william george charles joseph james john david jordan justin brandon jason jonathan christopher christian chris \
        alexander alexandra alex andrea andreas angela anna anne barbara benjamin ben carlos carmen caroline catherine \
        christina claudia diana edward elizabeth emily emma eric felix florian francesco francis frank gabriel hannah \
        heather helena henry isabel isabella jack jackson jacob jan jasmine jasper jose juan julia julian julie karen \
        katharina kevin kimberly kristin laura lauren leon leonardo linda lisa louis lukas maria marie marina mark markus \
        martin martina matthias melanie melissa mia miguel miriam natalie nathan nicholas nicolas oliver oscar pascal \
        patricia patrick paul pedro peter philipp rachel rebecca ricardo ronaldo messi sabrina samantha samuel sandra sara \
        sarah sebastian simon sofia stefan stephanie steven susanne sven taylor teresa tim tobias valentina vanessa victor \
        victoria vincent yvonne friend friends freunde family familie mother father mama papa mutter vater brother sister \
        bruder schwester whatever nothing something secret geheim secreto magic money geld dinero bitcoin power energy \
        freedom freiheit forever forget remember trustno jesus jesuschrist christ god gott maria blessed faith hope \
        hardcore liverpool phoenix thunder lightning storm rainbow ocean beach island holiday urlaub vacation travel \
        school schule college student teacher office work arbeit business company firma manager boss service support \
        nintendo playstation xbox scooter skater snowboard surfing swimming fishing camping hunting shooter sniper soldier \
        army navy marine police doctor nurse engineer pilot cowboy pirate vampire zombie monster spider snake cobra \
        panther jaguar cougar bulldog rottweiler dolphin penguin panda turtle elephant
        """
}
