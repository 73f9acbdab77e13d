// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP

/// A signature that the peer requests in `Accept-Signature` (RFC 9421 §5.1).
package struct RequestedSignature: Sendable, Hashable {
    /// The label of the requested signature.
    package let label: String
    /// The components to cover.
    package let components: [SignatureComponent]
    /// The parameters to set: their texts are used as they are.
    package let parameters: SignatureParameters
    /// Whether the signature needs `created`.
    package let wantsCreated: Bool
    /// Whether the signature needs `expires`.
    package let wantsExpires: Bool

    /// Returns the signatures that a message requests, in order.
    ///
    /// - Throws: `AuthError.malformedSignature` where the field is malformed or requests an unknown component.
    package static func all(in fields: HTTPFields) throws(AuthError) -> [RequestedSignature] {
        let members: StructuredDictionary
        do {
            members = try fields.structuredDictionary("Accept-Signature")
        } catch {
            throw .malformedSignature("Accept-Signature is not a dictionary")
        }
        var all: [RequestedSignature] = []
        for (label, member) in members {
            guard let list = member.innerList else { throw .malformedSignature("Accept-Signature has no inner list") }
            all.append(try RequestedSignature(label, list))
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
