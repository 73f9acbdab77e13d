// SPDX-License-Identifier: Apache-2.0

/// Redaction of message texts: everything that is not known to be harmless becomes `*`.
///
/// It does not search for secrets, which can have any form. It keeps only text that cannot be one.
enum LogRedaction {
    /// The placeholder of redacted text.
    static let hidden = "*"

    /// Returns the method if it has the form of one.
    static func method(_ method: HTTPMethod) -> String {
        let name = method.rawValue.utf8
        let isUsual = (1...16).contains(name.count) && name.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x2D }
        return isUsual ? method.rawValue : hidden
    }

    /// Returns the scheme, host and port, or the placeholder if the authority holds anything but a host and a port.
    static func origin(_ request: HTTPRequest) -> String {
        let authority = request.authority.utf8
        let isClear = (1...255).contains(authority.count) && authority.allSatisfy(isAuthorityByte)
        guard isClear, request.scheme == "https" || request.scheme == "http" else { return hidden }
        return request.origin.description
    }

    /// Returns the path and the query; only the values of allowed names are shown.
    ///
    /// The path is the request's template, or else its segments that are words.
    static func target(_ request: HTTPRequest, showing names: Set<String>, hidingPath: Bool) -> String {
        if let template = request.template { return printable(template, upTo: 256) + query(request, showing: names) }
        guard !hidingPath else { return "/" + hidden }
        let segments = request.pathWithoutQuery.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
        let shown = segments.prefix(16).map { isName($0) ? String(decoding: $0, as: UTF8.self) : hidden }
        return shown.joined(separator: "/") + (segments.count > 16 ? "/…" : "") + query(request, showing: names)
    }

    private static func query(_ request: HTTPRequest, showing names: Set<String>) -> String {
        guard let query = request.query else { return "" }
        let pairs = query.utf8.split(separator: 0x26, omittingEmptySubsequences: false)
        let shown = pairs.prefix(16).map { pair in
            guard let equals = pair.firstIndex(of: 0x3D) else { return hidden }
            let name = String(decoding: pair[..<equals], as: UTF8.self)
            let value = String(decoding: pair[pair.index(after: equals)...], as: UTF8.self)
            if names.contains(name) { return printable(name, upTo: 64) + "=" + printable(value, upTo: 64) }
            return (isName(pair[..<equals]) ? name : hidden) + "=" + hidden
        }
        return "?" + shown.joined(separator: "&") + (pairs.count > 16 ? "&…" : "")
    }

    /// Returns a request identifier if it is harmless.
    static func identifier(_ text: String) -> String? {
        let isHarmless =
            (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isAlphanumeric($0) || "-._".utf8.contains($0) }
        return isHarmless ? text : nil
    }

    /// Returns the code or the type of an error, never its description, which may hold anything.
    static func errorCode(_ code: String?, of error: any Error) -> String {
        if let code { return identifier(code) ?? hidden }
        return printable(String(describing: type(of: error)), upTo: 128)
    }

    /// Returns the text without line breaks and terminal control characters, truncated to `limit`.
    static func printable(_ text: String, upTo limit: Int) -> String {
        let shown = text.unicodeScalars.prefix(limit).map { scalar -> Unicode.Scalar in
            (0x20...0x7E).contains(scalar.value) ? scalar : "?"
        }
        var line = String.UnicodeScalarView()
        line.append(contentsOf: shown)
        return String(line) + (text.unicodeScalars.dropFirst(limit).isEmpty ? "" : "…")
    }

    /// Whether a text looks like a name that a programmer chose.
    ///
    /// Such a name is words of letters, joined by `-`, `_` and `.`, a version such as `v2`, or a word and one digit.
    /// Numbers do not count as names, nor do mixtures of digits and letters as in random identifiers.
    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count <= 40 else { return false }
        return bytes.split(omittingEmptySubsequences: false) { $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
            .allSatisfy { isWord(Array($0)) }
    }

    private static func isWord(_ bytes: [UInt8]) -> Bool {
        var letters = bytes[...]
        while let last = letters.last, isDigit(last) { letters.removeLast() }
        let digits = bytes.count - letters.count
        if digits > 0 {
            let isVersion = letters.count == 1 && letters.first == 0x76 && digits <= 2
            guard isVersion || (letters.count >= 4 && digits == 1) else { return false }
        }
        // A capital begins a part of at least three letters: `UserService` is a word, `aGVsbG8` is not.
        var run = 3
        for byte in letters {
            switch byte {
            case 0x61...0x7A: run += 1
            case 0x41...0x5A where run >= 3: run = 1
            default: return false
            }
        }
        return run >= 3
    }
}
