// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What a route sends.
enum RouteContent: Sendable {
    case nothing
    case json(any Encodable & Sendable)
    case form([(String, String)])

    static let json = "application/json"

    struct Encoded: Sendable {
        var content = HTTPBody.empty
        var mediaType: String?
    }

    func encoded(by encoder: JSONEncoder) throws -> Encoded {
        switch self {
        case .nothing: Encoded()
        case .json(let value): Encoded(content: HTTPBody([UInt8](try encoder.encode(value))), mediaType: Self.json)
        case .form(let pairs): Encoded(content: HTTPBody(FormEncoding.encode(pairs)), mediaType: FormEncoding.mediaType)
        }
    }
}
