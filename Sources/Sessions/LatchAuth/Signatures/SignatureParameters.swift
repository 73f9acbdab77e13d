// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
internal import LatchHTTP

/// What a signature says about itself (RFC 9421 §2.3).
public struct SignatureParameters: Sendable, Hashable {
    /// When it was made.
    public var created: Date?
    /// Until when it is to be believed.
    public var expires: Date?
    /// A text that is used once.
    public var nonce: String?
    /// The algorithm by its registered name; the key says it anyway, and better.
    public var algorithm: String?
    /// The name of the key.
    public var keyID: String?
    /// What the signature is for, by a name that the application has chosen.
    public var tag: String?

    /// Parameters of which none is set.
    public init() {}

    /// Parameters as a message has them; those that are not known here are left to the signature to cover.
    ///
    /// - Throws: `AuthError.malformedSignature` where one has the wrong type.
    init(_ parameters: StructuredParameters) throws(AuthError) {
        created = try Self.date(parameters["created"])
        expires = try Self.date(parameters["expires"])
        nonce = try Self.text(parameters["nonce"])
        algorithm = try Self.text(parameters["alg"])
        keyID = try Self.text(parameters["keyid"])
        tag = try Self.text(parameters["tag"])
    }

    /// The parameters as a message has them.
    var structured: StructuredParameters {
        var parameters = StructuredParameters()
        parameters["created"] = created.map { .integer(Self.seconds($0)) }
        parameters["expires"] = expires.map { .integer(Self.seconds($0)) }
        parameters["nonce"] = nonce.map { .string($0) }
        parameters["alg"] = algorithm.map { .string($0) }
        parameters["keyid"] = keyID.map { .string($0) }
        parameters["tag"] = tag.map { .string($0) }
        return parameters
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(HTTPDate(date).date.timeIntervalSince1970) }

    private static func date(_ value: StructuredValue?) throws(AuthError) -> Date? {
        guard let value else { return nil }
        guard let seconds = value.integerValue else { throw .malformedSignature("a time is no integer") }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func text(_ value: StructuredValue?) throws(AuthError) -> String? {
        guard let value else { return nil }
        guard let text = value.stringValue else { throw .malformedSignature("a parameter is no string") }
        return text
    }
}
