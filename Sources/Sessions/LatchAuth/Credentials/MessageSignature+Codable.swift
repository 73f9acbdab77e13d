// SPDX-License-Identifier: Apache-2.0

internal import PortableFoundation
internal import LatchCore
internal import LatchHTTP
internal import LatchJOSE

extension MessageSignature: Codable {
    private enum CodingKeys: String, CodingKey {
        case jwk, components, contentComponents, label, tag, lifetime, hasNonce, namesAlgorithm
    }

    /// Writes the key with its secret, for a store that keeps secrets.
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

    /// Reads what ``encode(to:)`` wrote, with the rules of the initialiser.
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
