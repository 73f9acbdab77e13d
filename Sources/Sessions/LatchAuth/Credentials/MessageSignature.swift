// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchCore
internal import LatchCrypto
public import LatchHTTP
public import LatchJOSE

/// A signature of each message (RFC 9421), with a digest of its content (RFC 9530).
///
/// ```swift
/// let key = try Key.generate(.eddsa, id: "partner-1")
/// let credential = try MessageSignature(key, tag: "partner-api", lifetime: .seconds(60))
/// let client = Client(baseURL: url, interceptors: [CredentialInterceptor(credential, for: .host("api.example.com"))])
/// ```
///
/// Responses are signed by the same value: ``sign(_:answering:)``.
public struct MessageSignature: SessionCredential {
    /// The key; its name goes out as `keyid`, its algorithm decides how it signs.
    public let key: Key
    /// What is covered.
    public let components: [SignatureComponent]
    /// What is covered beside it where there is content.
    public let contentComponents: [SignatureComponent]
    /// The name of the signature within the message.
    public let label: String
    /// What the signature is for, by a name that both sides know.
    public let tag: String?
    /// How long it says that it is valid; nil says nothing.
    public let lifetime: Duration?
    /// Whether each one has a nonce.
    public let hasNonce: Bool
    /// Whether it names its algorithm, which its key says anyway.
    public let namesAlgorithm: Bool
    /// The clock that dates signatures; it is not stored.
    public var clock: WallClock = .system
    /// Where nonces come from; it is not stored.
    public var random: RandomSource = .system
    /// Which fields are structured, for components with `sf`; it is not stored.
    public var structured: StructuredKinds = .registered

    /// A credential that signs with `key`.
    ///
    /// - Throws: `AuthError.invalidCredential` where the key only verifies or is for no algorithm of RFC 9421 §3.3, and where
    ///   a component or the label is none.
    public init(
        _ key: Key, covering components: [SignatureComponent] = SignaturePolicy.requestComponents,
        andContentBy contentComponents: [SignatureComponent] = [.field(.contentDigest)], label: String = "sig1",
        tag: String? = nil, lifetime: Duration? = nil, hasNonce: Bool = false, namesAlgorithm: Bool = false,
        clock: WallClock = .system
    ) throws(AuthError) {
        self.key = key
        self.components = components
        self.contentComponents = contentComponents
        self.label = label
        self.tag = tag
        self.lifetime = lifetime
        self.hasNonce = hasNonce
        self.namesAlgorithm = namesAlgorithm
        self.clock = clock
        guard key.canSign, SignatureScheme.name(of: key) != nil else {
            throw .invalidCredential("its key cannot sign messages")
        }
        do {
            for component in components + contentComponents { try component.validate() }
            let label: StructuredDictionary = [label: .value(true)]
            _ = try label.serialized()
        } catch {
            throw .invalidCredential("a component or the label is malformed")
        }
    }

    /// Not known: a key does not say.
    public var expiry: Date? { nil }

    /// Signs the request as it is, in place of an earlier attempt's signature; other signatures stay.
    ///
    /// - Throws: `AuthError.unsignableMessage` where a covered part is missing, `AuthError.unsignableContent` where the
    ///   content can be read only once, and what a stream throws.
    public func authorize(_ request: inout HTTPRequest) async throws {
        let covered = covered(request.body)
        if covered.contains(where: { $0.name == "content-digest" && !$0.isOfRequest }) {
            try await request.setContentDigest()
        }
        remove(from: &request.fields)
        let message = SignedMessage.request(request)
        try sign(message, covering: covered, into: &request.fields)
        request.markCredentials([.signature, .signatureInput])
    }

    /// Signs a response; a server calls it last.
    ///
    /// - Parameter request: The request that it answers, for components with `req` (§2.4).
    /// - Throws: As ``authorize(_:)``.
    public func sign(_ response: inout HTTPResponse, answering request: HTTPRequest? = nil) async throws {
        let covered = covered(response.body)
        if covered.contains(where: { $0.name == "content-digest" && !$0.isOfRequest }) {
            try await response.setContentDigest()
        }
        remove(from: &response.fields)
        let message = SignedMessage.response(response, answering: request)
        try sign(message, covering: covered, into: &response.fields)
    }

    private func covered(_ body: HTTPBody) -> [SignatureComponent] {
        components + (body.isEmpty ? [] : contentComponents.filter { !components.contains($0) })
    }

    /// Takes an earlier signature of this label out of both fields; where they are malformed, all of them.
    private func remove(from fields: inout HTTPFields) {
        for name in [HTTPFieldName.signatureInput, .signature] where fields[name] != nil {
            do {
                var members = try fields.structuredDictionary(name)
                members[label] = nil
                fields[name] = members.isEmpty ? nil : try members.serialized()
            } catch {
                // Nobody can verify what is in a malformed field.
                fields[name] = nil
            }
        }
    }

    private func sign(
        _ message: SignedMessage, covering components: [SignatureComponent], into fields: inout HTTPFields
    ) throws {
        var parameters = SignatureParameters()
        let now = clock.now
        parameters.created = now
        parameters.expires = lifetime.map { now.addingTimeInterval($0.inSeconds) }
        parameters.nonce = hasNonce ? random.identifier() : nil
        parameters.algorithm = namesAlgorithm ? SignatureScheme.name(of: key) : nil
        parameters.keyID = key.id
        parameters.tag = tag
        let input = StructuredInnerList(components.map(\.item), parameters.structured)
        let base = try SignedText.text(for: input, of: message, structured: structured)
        var inputs = try fields.structuredDictionary(.signatureInput)
        var signatures = try fields.structuredDictionary(.signature)
        inputs[label] = .innerList(input)
        signatures[label] = .value(.bytes(try key.signature(for: Array(base.utf8))))
        fields[.signatureInput] = try inputs.serialized()
        fields[.signature] = try signatures.serialized()
    }

    /// Compares what is signed and how; keys by what follows from them, in constant time.
    public static func == (left: MessageSignature, right: MessageSignature) -> Bool {
        left.key.id == right.key.id && left.key.algorithm == right.key.algorithm
            && constantTimeEquals(left.key.thumbprint.utf8, right.key.thumbprint.utf8)
            && left.components == right.components && left.contentComponents == right.contentComponents
            && left.label == right.label && left.tag == right.tag && left.lifetime == right.lifetime
            && left.hasNonce == right.hasNonce && left.namesAlgorithm == right.namesAlgorithm
    }
}

extension MessageSignature: Redacting {
    /// The algorithm and the label.
    public var description: String { "MessageSignature(\(key.algorithm), \(label), redacted)" }
}
