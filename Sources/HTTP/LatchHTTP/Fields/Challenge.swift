// SPDX-License-Identifier: Apache-2.0

/// An authentication challenge of a server (RFC 9110 §11.3): a scheme and its parameters.
///
/// ```swift
/// let stepUp = response.challenges().first { $0.isScheme("Bearer") }?["acr_values"]
/// ```
public struct Challenge: Sendable, Hashable {
    /// A parameter of a challenge.
    package struct Parameter: Sendable, Hashable {
        /// The name as it was sent; it compares without case.
        package let name: String
        /// The value without quotation marks and escapes.
        package let value: String
    }

    /// The scheme as it was sent; it compares without case.
    public let scheme: String
    /// The single value of a scheme without named parameters; nil for all others.
    package let token68: String?
    /// The parameters in their order; no name occurs twice.
    package let parameters: [Parameter]

    /// Returns the value of a parameter, whose name is compared without case (RFC 9110 §11.2).
    public subscript(name: String) -> String? {
        parameters.first { $0.name.equalsIgnoringCase(name) }?.value
    }

    /// Whether the scheme is `name`, compared without case (RFC 9110 §11.1).
    public func isScheme(_ name: String) -> Bool { scheme.equalsIgnoringCase(name) }
}

extension HTTPResponse {
    /// Returns the challenges of all lines of a field, in their order.
    ///
    /// A line that is ambiguous or malformed yields no challenge. A client that guesses could use a different scheme
    /// from the one that the server meant.
    public func challenges(in name: HTTPFieldName = .wwwAuthenticate) -> [Challenge] {
        fields.values(of: name).flatMap { Challenge.parse($0) ?? [] }
    }
}

extension Challenge {
    /// Parses the challenges of one line (RFC 9110 §11.6.1), or returns nil if it is malformed.
    ///
    /// Commas separate both challenges and parameters. A name followed by `=` is a parameter, and any other name begins
    /// a challenge, so the grammar is unambiguous. A parameter without a challenge, a duplicate parameter, and a
    /// parameter after a token68 are malformed.
    package static func parse(_ line: String) -> [Challenge]? {
        guard line.utf8.count <= maximumLineBytes else { return nil }
        var scanner = FieldScanner(line)
        var challenges: [Challenge] = []
        while true {
            // RFC 9110 §5.6.1.2: empty elements of a list are ignored.
            repeat { scanner.skipWhitespace() } while scanner.take(0x2C)
            if scanner.isAtEnd { return challenges }
            guard let challenge = one(&scanner), challenges.count < maximumChallenges else { return nil }
            challenges.append(challenge)
        }
    }

    /// The maximum size of a line, which legitimate servers do not reach.
    private static let maximumLineBytes = 16_384
    private static let maximumChallenges = 64

    /// Parses one challenge up to its comma, starting at its scheme.
    private static func one(_ scanner: inout FieldScanner) -> Challenge? {
        guard let scheme = scanner.token() else { return nil }
        guard scanner.take(0x20) else {
            return endsElement(&scanner) ? Challenge(scheme: scheme, token68: nil, parameters: []) : nil
        }
        scanner.skipWhitespace()
        let start = scanner.position
        if let token = token68(&scanner), endsElement(&scanner) {
            return Challenge(scheme: scheme, token68: token, parameters: [])
        }
        scanner.goBack(to: start)
        guard let parameters = parameters(&scanner) else { return nil }
        return Challenge(scheme: scheme, token68: nil, parameters: parameters)
    }

    /// Parses the parameters up to the next challenge or the end.
    private static func parameters(_ scanner: inout FieldScanner) -> [Parameter]? {
        var parameters: [Parameter] = []
        var isAfterComma = false
        while true {
            scanner.skipWhitespace()
            while scanner.take(0x2C) {
                isAfterComma = true
                scanner.skipWhitespace()
            }
            let start = scanner.position
            guard let name = scanner.token() else { return scanner.isAtEnd ? parameters : nil }
            scanner.skipWhitespace()
            guard scanner.take(0x3D) else {
                // Not a parameter. After a comma, and only there, the next challenge begins here.
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

    /// Parses a token68, including its padding (RFC 9110 §11.2).
    private static func token68(_ scanner: inout FieldScanner) -> String? {
        let token = scanner.take { isAlphanumeric($0) || "+-./_~".utf8.contains($0) }
        guard !token.isEmpty else { return nil }
        return token + scanner.take { $0 == 0x3D }
    }

    /// Whether only whitespace precedes the next comma or the end; the comma is not consumed.
    private static func endsElement(_ scanner: inout FieldScanner) -> Bool {
        scanner.skipWhitespace()
        return scanner.isAtEnd || scanner.next == 0x2C
    }
}
