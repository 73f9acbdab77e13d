// SPDX-License-Identifier: Apache-2.0

internal import LatchHTTP

/// The parameters of a query as RFC 9421 §2.2.8 takes them: read as a form and encoded again in one way.
enum QueryParameters {
    /// The value of the only parameter of an encoded name.
    ///
    /// - Throws: `AuthError.unsignableMessage` where it is missing, and where it stands twice: two readers could take
    ///   different ones.
    static func value(named name: String, in request: HTTPRequest) throws(AuthError) -> String {
        let values = request.rawQueryPairs.filter { recode($0.name) == name }.map { recode($0.value) }
        guard let value = values.first, values.count == 1 else {
            throw .unsignableMessage("a query parameter that is to be covered is missing or stands twice")
        }
        return value
    }

    /// The encoding of a name or a value.
    static func encode(_ text: String) -> String { encode(Array(text.utf8)) }

    /// URL Standard, application/x-www-form-urlencoded percent-encode set: `~` is encoded, `*` is not, a space is `%20`.
    private static func encode(_ bytes: [UInt8]) -> String {
        var encoded = ""
        for byte in bytes {
            encoded += byte == 0x7E ? "%7E" : PercentEncoding.encode([byte]) { $0 == 0x2A }
        }
        return encoded
    }

    private static func recode(_ text: Substring) -> String {
        encode(PercentEncoding.decode(text.utf8, plusIsSpace: true))
    }
}
