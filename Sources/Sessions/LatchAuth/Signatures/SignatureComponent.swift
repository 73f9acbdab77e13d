// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP

/// A component of a message that a signature covers (RFC 9421 §2): a field, or a derived component.
///
/// ```swift
/// let covered: [SignatureComponent] = ["@method", "@authority", "content-type", .queryParameter("page")]
/// ```
public struct SignatureComponent: Sendable, ExpressibleByStringLiteral {
    /// The field's name in lowercase, or a derived name such as `@method`.
    package let name: String
    /// The parameters of the component: `sf`, `key`, `bs`, `req`, `tr` and, for a query parameter, `name`.
    package let parameters: StructuredParameters

    /// The default components of a request's signature: method, host, path and query.
    public static let requestDefaults: [SignatureComponent] = ["@method", "@authority", "@path", "@query"]

    /// Creates a component without parameters.
    public init(stringLiteral name: String) { self.init(name: name, parameters: [:]) }

    /// Returns a component for a field with all of its lines.
    public static func field(_ name: HTTPFieldName) -> SignatureComponent {
        SignatureComponent(name: name.canonicalName, parameters: [:])
    }

    /// Returns a component for one query parameter (§2.2.8), by its decoded name.
    public static func queryParameter(_ name: String) -> SignatureComponent {
        SignatureComponent(name: "@query-param", parameters: ["name": .string(QueryParameters.encode(name.utf8))])
    }

    /// Creates a component with parameters, without checks; see `validate()`.
    init(name: String, parameters: StructuredParameters) {
        self.name = HTTPFieldName(name).canonicalName
        self.parameters = parameters
    }

    /// Parses a component of a message.
    ///
    /// - Throws: `AuthError.malformedSignature` if it is malformed or unknown.
    init(_ item: StructuredItem) throws(AuthError) {
        guard let name = item.value.stringValue, name == HTTPFieldName(name).canonicalName else {
            throw .malformedSignature("a component is not a name in lower case")
        }
        self.name = name
        parameters = item.parameters
        try validate()
    }

    /// Whether it is taken from the request that a response answers.
    var isOfRequest: Bool { parameters.isTrue("req") }

    /// Whether it covers the digest of the message's own content, with all algorithms in it.
    ///
    /// One member of the field is not enough, because the verifier may not support its algorithm.
    var isContentDigest: Bool { name == "content-digest" && !isOfRequest && parameters["key"] == nil }

    /// The component as an item of `Signature-Input`.
    var item: StructuredItem { StructuredItem(.string(name), parameters) }
}

extension SignatureComponent {
    private static let derived: Set<String> = [
        "@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query", "@query-param",
        "@status",
    ]

    /// Throws for a component that this implementation could misunderstand.
    func validate() throws(AuthError) {
        let isDerived = name.utf8.first == UInt8(ascii: "@")
        guard !isDerived || Self.derived.contains(name) else {
            throw .malformedSignature("a derived component is unknown")
        }
        guard isDerived || (!name.isEmpty && name.utf8.allSatisfy(isTokenByte)) else {
            throw .malformedSignature("a component is not the name of a field")
        }
        for (key, value) in parameters {
            switch (key, value) {
            case ("req", .boolean(true)): continue
            case ("sf", .boolean(true)) where !isDerived, ("bs", .boolean(true)) where !isDerived: continue
            case ("key", .string) where !isDerived, ("name", .string) where name == "@query-param": continue
            case ("tr", _): throw .malformedSignature("trailer fields are not supported")
            // RFC 9421 §2.5: an unknown parameter changes the value in an unknown way.
            default: throw .malformedSignature("a component has an unknown parameter")
            }
        }
        guard name != "@query-param" || parameters["name"] != nil else {
            throw .malformedSignature("a query parameter has no name")
        }
        guard parameters["bs"] == nil || (parameters["sf"] == nil && parameters["key"] == nil) else {
            throw .malformedSignature("a field cannot be covered as bytes and as a structured field")
        }
    }
}

extension SignatureComponent: Hashable {
    /// Compares without regard to the order of the parameters (RFC 9421 §2).
    public static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.parameters.count == right.parameters.count
            && left.parameters.allSatisfy { right.parameters[$0.key] == $0.value }
    }

    /// Hashes the name and the parameters without regard to their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(Dictionary(parameters.map { ($0.key, $0.value) }) { $1 })
    }
}
