// SPDX-License-Identifier: Apache-2.0

/// What a server asks for before it answers (RFC 9110 §11.3): a scheme, and what the scheme needs to know.
///
/// ```swift
/// let stepUp = response.challenges().first { $0.isScheme("Bearer") }?["acr_values"]
/// ```
public struct Challenge: Sendable, Hashable {
    /// A parameter, its value without the quotation marks.
    public struct Parameter: Sendable, Hashable {
        /// The name as it was spelled; it compares without case.
        public let name: String
        /// The value, with quotation marks and escapes taken off.
        public let value: String
    }

    /// The scheme as it was spelled; it compares without case.
    public let scheme: String
    /// The one value of a scheme that has no names for its parameters; nil for all others.
    public let token68: String?
    /// The parameters in their order; no name stands twice.
    public let parameters: [Parameter]

    /// A challenge with parameters.
    public init(scheme: String, parameters: KeyValuePairs<String, String> = [:]) {
        self.scheme = scheme
        token68 = nil
        self.parameters = parameters.map { Parameter(name: $0.key, value: $0.value) }
    }

    init(scheme: String, token68: String?, parameters: [Parameter]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    /// The value of a parameter, whose name is compared without case (RFC 9110 §11.2).
    public subscript(name: String) -> String? {
        parameters.first { $0.name.equalsIgnoringCase(name) }?.value
    }

    /// Whether it is of a scheme, compared without case (RFC 9110 §11.1).
    public func isScheme(_ name: String) -> Bool { scheme.equalsIgnoringCase(name) }

    /// The protection space; nil where the challenge names none (RFC 9110 §11.5).
    public var realm: String? { self["realm"] }
}

extension HTTPResponse {
    /// The challenges of all lines of a field, in their order.
    ///
    /// A line that can be read in two ways, or in none, gives no challenge: a client that guesses can be led to another
    /// scheme than the one that the server meant.
    public func challenges(in name: HTTPFieldName = .wwwAuthenticate) -> [Challenge] {
        fields.values(of: name).flatMap { Challenge.parse($0) ?? [] }
    }
}

extension Challenge {
    /// The challenges of one line (RFC 9110 §11.6.1); nil where it is malformed.
    ///
    /// The same commas separate challenges and parameters. A name that `=` follows is a parameter, any other begins a
    /// challenge, so there is one reading. A parameter without a challenge, a second one of the same name, and one after
    /// a token68 are malformed.
    public static func parse(_ line: String) -> [Challenge]? {
        guard line.utf8.count <= longestLine else { return nil }
        var scanner = FieldScanner(line)
        var challenges: [Challenge] = []
        while true {
            // RFC 9110 §5.6.1.2: empty elements of a list are ignored.
            repeat { scanner.skipWhitespace() } while scanner.take(0x2C)
            if scanner.isAtEnd { return challenges }
            guard let challenge = one(&scanner), challenges.count < mostChallenges else { return nil }
            challenges.append(challenge)
        }
    }

    /// Longer lines, and more challenges, than anybody sends.
    private static let longestLine = 16_384
    private static let mostChallenges = 64

    /// One challenge and the comma after it, at the beginning of its scheme.
    private static func one(_ scanner: inout FieldScanner) -> Challenge? {
        guard let scheme = scanner.token() else { return nil }
        guard scanner.take(0x20) else {
            return endsElement(&scanner) ? Challenge(scheme: scheme, token68: nil, parameters: []) : nil
        }
        scanner.skipWhitespace()
        let start = scanner.place
        if let token = token68(&scanner), endsElement(&scanner) {
            return Challenge(scheme: scheme, token68: token, parameters: [])
        }
        scanner.goBack(to: start)
        guard let parameters = parameters(&scanner) else { return nil }
        return Challenge(scheme: scheme, token68: nil, parameters: parameters)
    }

    /// The parameters up to the next challenge, or to the end.
    private static func parameters(_ scanner: inout FieldScanner) -> [Parameter]? {
        var parameters: [Parameter] = []
        var isAfterComma = false
        while true {
            repeat { scanner.skipWhitespace() } while take(0x2C, &scanner, noting: &isAfterComma)
            let start = scanner.place
            guard let name = scanner.token() else { return scanner.isAtEnd ? parameters : nil }
            scanner.skipWhitespace()
            guard scanner.take(0x3D) else {
                // No parameter: after a comma the next challenge begins here, and nowhere else.
                scanner.goBack(to: start)
                return isAfterComma ? parameters : nil
            }
            scanner.skipWhitespace()
            guard let value = scanner.next == 0x22 ? scanner.quotedString() : scanner.token(), endsElement(&scanner),
                !parameters.contains(where: { $0.name.equalsIgnoringCase(name) })
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
    }

    private static func take(_ byte: UInt8, _ scanner: inout FieldScanner, noting isTaken: inout Bool) -> Bool {
        guard scanner.take(byte) else { return false }
        isTaken = true
        return true
    }

    /// RFC 9110 §11.2: token68, which padding may end.
    private static func token68(_ scanner: inout FieldScanner) -> String? {
        let token = scanner.take(while: isToken68Byte)
        guard !token.isEmpty else { return nil }
        return token + scanner.take { $0 == 0x3D }
    }

    private static func isToken68Byte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Whether nothing but whitespace stands before the next comma or the end; the comma is left.
    private static func endsElement(_ scanner: inout FieldScanner) -> Bool {
        scanner.skipWhitespace()
        return scanner.isAtEnd || scanner.next == 0x2C
    }
}

extension String {
    /// Compares ASCII letters without case; others are no part of what is compared so.
    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { asciiLowercased($0) == asciiLowercased($1) }
    }
}
