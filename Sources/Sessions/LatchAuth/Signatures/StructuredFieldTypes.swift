// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP

/// The types of structured fields, which components with `sf` need (RFC 9421 §2.1.1).
package struct StructuredFieldTypes: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// A top-level type (RFC 9651 §3).
    package enum FieldType: Sendable, Hashable {
        /// One item.
        case item
        /// A list.
        case list
        /// A dictionary.
        case dictionary
    }

    private var types: [HTTPFieldName: FieldType]

    /// The types of registered fields.
    package static let registered: StructuredFieldTypes = [
        "Accept-CH": .list, "Accept-Signature": .dictionary, "Cache-Status": .list, "CDN-Cache-Control": .dictionary,
        "Content-Digest": .dictionary, "Idempotency-Key": .item, "Priority": .dictionary, "Proxy-Status": .list,
        "RateLimit": .list, "RateLimit-Policy": .list, "Repr-Digest": .dictionary, "Signature": .dictionary,
        "Signature-Input": .dictionary, "Want-Content-Digest": .dictionary, "Want-Repr-Digest": .dictionary,
    ]

    /// Creates the types from a literal.
    package init(dictionaryLiteral elements: (HTTPFieldName, FieldType)...) {
        types = Dictionary(elements) { $1 }
    }

    /// The type of a field; nil where it is unknown.
    package subscript(name: HTTPFieldName) -> FieldType? {
        get { types[name] }
        set { types[name] = newValue }
    }
}
