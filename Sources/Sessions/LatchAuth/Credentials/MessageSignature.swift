// SPDX-License-Identifier: Apache-2.0

public import LatchCore
internal import LatchCrypto
internal import LatchFoundation
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
/// On a server, the same value signs the responses (`sign(_:answering:)`).
public struct MessageSignature: SessionCredential {
    /// The signing key; its ID is sent as `keyid`.
    package let key: Key
    /// The covered components.
    package let components: [SignatureComponent]
    /// The components that are also covered if there is content.
    package let contentComponents: [SignatureComponent]
    /// The label of the signature within the message.
    package let label: String
    /// The purpose of the signature, as a name that both sides have agreed on.
    package let tag: String?
    /// The lifetime that the signature states; nil for none.
    package let lifetime: Duration?
    /// Whether each signature has a nonce.
    package let hasNonce: Bool
    /// Whether the signature names its algorithm, which its key implies anyway.
    package let namesAlgorithm: Bool
    /// The clock that dates signatures; it is not stored.
    package var clock: WallClock = .system
    /// The source of nonces; it is not stored.
    package var random: RandomSource = .system

    /// Creates a credential that signs with `key`.
    ///
    /// - Throws: `AuthError.invalidCredential` if the key only verifies or has no algorithm of RFC 9421 §3.3, or if a
    ///   component or the label is malformed.
    public init(
        _ key: Key, covering components: [SignatureComponent] = SignatureComponent.requestDefaults,
        andContentBy contentComponents: [SignatureComponent] = [.field("Content-Digest")], label: String = "sig1",
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
        guard key.canSign, key.messageSignatureAlgorithm != nil else {
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

    /// Signs the request in its current form, and replaces an earlier attempt's signature; other signatures stay.
    ///
    /// - Throws: `AuthError.unsignableMessage` if a covered component is missing, `AuthError.unsignableContent` if the
    ///   content can be read only once, and the error of a stream.
    public func authorize(_ request: inout HTTPRequest) async throws {
        let covered = try await prepare(&request.fields, for: request.body)
        let message = SignedMessage.request(request)
        try sign(message, covering: covered, into: &request.fields)
        request.markCredentials([.signature, .signatureInput])
    }

    /// Signs a response; a server calls it as the last step.
    ///
    /// - Parameter request: The request that the response answers, for components with `req` (§2.4).
    /// - Throws: As ``authorize(_:)``.
    package func sign(_ response: inout HTTPResponse, answering request: HTTPRequest? = nil) async throws {
        let covered = try await prepare(&response.fields, for: response.body)
        let message = SignedMessage.response(response, answering: request)
        try sign(message, covering: covered, into: &response.fields)
    }

    /// Sets the digest of the content if it is covered, and removes an earlier signature with this label.
    ///
    /// If the two fields are malformed, all signatures are removed.
    ///
    /// - Returns: The covered components of a message with this content.
    private func prepare(_ fields: inout HTTPFields, for body: HTTPBody) async throws -> [SignatureComponent] {
        let covered = components + (body.isEmpty ? [] : contentComponents.filter { !components.contains($0) })
        if covered.contains(where: { $0.name == "content-digest" && !$0.isOfRequest }) {
            fields[.contentDigest] = try await ContentDigest(hashing: body).fieldValue
        }
        for name in [HTTPFieldName.signatureInput, .signature] where fields[name] != nil {
            do {
                var members = try fields.structuredDictionary(name)
                members[label] = nil
                fields[name] = members.isEmpty ? nil : try members.serialized()
            } catch {
                // No verifier accepts a malformed field.
                fields[name] = nil
            }
        }
        return covered
    }

    private func sign(
        _ message: SignedMessage, covering components: [SignatureComponent], into fields: inout HTTPFields
    ) throws {
        func seconds(_ date: Date) -> StructuredValue { .integer(Int64(HTTPDate(date).date.timeIntervalSince1970)) }
        let now = clock.now
        var parameters: StructuredParameters = ["created": seconds(now)]
        parameters["expires"] = lifetime.map { seconds(now.addingTimeInterval($0.inSeconds)) }
        parameters["nonce"] = hasNonce ? .string(random.identifier()) : nil
        parameters["alg"] = namesAlgorithm ? key.messageSignatureAlgorithm.map { .string($0) } : nil
        parameters["keyid"] = key.id.map { .string($0) }
        parameters["tag"] = tag.map { .string($0) }
        let input = StructuredInnerList(components.map(\.item), parameters)
        let base = try SignatureBase.text(for: input, of: message)
        var inputs = try fields.structuredDictionary(.signatureInput)
        var signatures = try fields.structuredDictionary(.signature)
        inputs[label] = .innerList(input)
        signatures[label] = .value(.bytes(try key.signature(for: Array(base.utf8))))
        fields[.signatureInput] = try inputs.serialized()
        fields[.signature] = try signatures.serialized()
    }

    /// Compares all parameters; keys are compared by their thumbprints in constant time.
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

extension MessageSignature: Codable {
    private enum CodingKeys: String, CodingKey {
        case jwk, components, contentComponents, label, tag, lifetime, hasNonce, namesAlgorithm
    }

    /// Encodes the key with its private members, for a store that keeps secrets.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let jwk = try JSONValue.object(key.jwkWithSecretsForStorage()).serialized()
        try container.encode(String(decoding: jwk, as: UTF8.self), forKey: .jwk)
        try container.encode(components.map { try $0.item.serialized() }, forKey: .components)
        try container.encode(contentComponents.map { try $0.item.serialized() }, forKey: .contentComponents)
        try container.encode(label, forKey: .label)
        try container.encodeIfPresent(tag, forKey: .tag)
        try container.encodeIfPresent(lifetime?.inSeconds, forKey: .lifetime)
        try container.encode(hasNonce, forKey: .hasNonce)
        try container.encode(namesAlgorithm, forKey: .namesAlgorithm)
    }

    /// Decodes a credential, and runs the checks of the initializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let jwk = try JSONValue(parsing: Array(container.decode(String.self, forKey: .jwk).utf8))
        func components(_ key: CodingKeys) throws -> [SignatureComponent] {
            try container.decode([String].self, forKey: key).map { text in
                try SignatureComponent(StructuredItem(parsing: text))
            }
        }
        try self.init(
            Key(jwk: jwk.objectValue ?? [:]), covering: components(.components),
            andContentBy: components(.contentComponents), label: container.decode(String.self, forKey: .label),
            tag: container.decodeIfPresent(String.self, forKey: .tag),
            lifetime: container.decodeIfPresent(Double.self, forKey: .lifetime).map { .seconds($0) },
            hasNonce: container.decode(Bool.self, forKey: .hasNonce),
            namesAlgorithm: container.decode(Bool.self, forKey: .namesAlgorithm))
    }
}
