// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// Which fields are structured, and of which kind; `sf` needs to know (RFC 9421 §2.1.1).
public struct StructuredKinds: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The three kinds (RFC 9651 §3).
    public enum Kind: Sendable, Hashable {
        /// One item.
        case item
        /// A list.
        case list
        /// A dictionary.
        case dictionary
    }

    private var kinds: [HTTPFieldName: Kind]

    /// Those of registered fields that are structured by their definition.
    public static let registered: StructuredKinds = [
        "Accept-CH": .list, "Accept-Signature": .dictionary, "Cache-Status": .list, "CDN-Cache-Control": .dictionary,
        "Content-Digest": .dictionary, "Idempotency-Key": .item, "Priority": .dictionary, "Proxy-Status": .list,
        "RateLimit": .list, "RateLimit-Policy": .list, "Repr-Digest": .dictionary, "Signature": .dictionary,
        "Signature-Input": .dictionary, "Want-Content-Digest": .dictionary, "Want-Repr-Digest": .dictionary,
    ]

    /// Kinds from a literal.
    public init(dictionaryLiteral elements: (HTTPFieldName, Kind)...) {
        kinds = Dictionary(elements) { $1 }
    }

    /// The kind of a field; nil where it is not known.
    public subscript(name: HTTPFieldName) -> Kind? {
        get { kinds[name] }
        set { kinds[name] = newValue }
    }
}
