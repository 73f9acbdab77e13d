// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// A signature that the other side asks for in `Accept-Signature` (RFC 9421 §5.1).
public struct AcceptedSignature: Sendable, Hashable {
    /// The name that the signature is to have.
    public let label: String
    /// What it is to cover.
    public let components: [SignatureComponent]
    /// What it is to say: the texts are meant as they are.
    public let parameters: SignatureParameters
    /// Whether it is to say when it was made.
    public let wantsCreated: Bool
    /// Whether it is to say when it ends.
    public let wantsExpires: Bool

    /// The signatures that a message asks for, in order.
    ///
    /// - Throws: `AuthError.malformedSignature` where the field is malformed or asks for what is not understood here.
    public static func all(in fields: HTTPFields) throws(AuthError) -> [AcceptedSignature] {
        let members: StructuredDictionary
        do {
            members = try fields.structuredDictionary("Accept-Signature")
        } catch {
            throw .malformedSignature("Accept-Signature is no dictionary")
        }
        var all: [AcceptedSignature] = []
        for (label, member) in members {
            guard let list = member.innerList else { throw .malformedSignature("Accept-Signature has no inner list") }
            all.append(try AcceptedSignature(label, list))
        }
        return all
    }

    private init(_ label: String, _ list: StructuredInnerList) throws(AuthError) {
        self.label = label
        var components: [SignatureComponent] = []
        for item in list.items { components.append(try SignatureComponent(item)) }
        self.components = components
        // §5.1: created and expires are flags here, not times.
        wantsCreated = list.parameters.isTrue("created")
        wantsExpires = list.parameters.isTrue("expires")
        var texts = list.parameters
        texts["created"] = nil
        texts["expires"] = nil
        parameters = try SignatureParameters(texts)
    }
}
