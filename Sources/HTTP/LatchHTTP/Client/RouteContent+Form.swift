// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore

extension RouteContent {
    /// A value's properties as a form, sorted by their names.
    ///
    /// The client's encoder decides how keys and dates are spelled. A property that is nil is left out. A form has no
    /// spelling for what is nested: such a property is refused, and so is a number that JSON readers may round.
    public static func form(_ value: any Encodable & Sendable) -> RouteContent {
        RouteContent { encoder in
            let bytes = try jsonBytes(of: value, by: encoder)
            let json: JSONValue
            do { json = try JSONValue(parsing: bytes) } catch {
                throw HTTPError.unencodable("at the top it has no spelling as a form.")
            }
            return Encoded(HTTPBody(FormEncoding.encode(try pairs(of: json))), mediaType: FormEncoding.mediaType)
        }
    }

    /// Sorted, since the encoder gives the members in another order each time.
    private static func pairs(of json: JSONValue) throws(HTTPError) -> [(String, String)] {
        guard let members = json.objectValue else {
            throw .unencodable("at the top it has no names, and a form needs them.")
        }
        var pairs: [(String, String)] = []
        for (name, value) in members where !value.isNull {
            guard let text = formText(of: value) else {
                throw .unencodable("at '\(name)' it has no spelling as a form.")
            }
            pairs.append((name, text))
        }
        return pairs.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }

    private static func formText(of value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        // RFC 8259 §6: beyond 2⁵³ an integer that does not fit 64 bits is no longer exact.
        case .number(let number) where number.magnitude <= 0x1p53:
            String(decoding: value.serialized(), as: UTF8.self)
        default: nil
        }
    }
}
