// SPDX-License-Identifier: Apache-2.0

import GeneratedModels
import LatchRPC

/// Bytes or a text that both decoders are to read as a message.
struct Input {
    let type: any Message.Type
    let isJSON: Bool
    let bytes: [UInt8]

    var name: String { type.schema.name }

    /// The input as one would write it down.
    var spelling: String {
        isJSON
            ? String(decoding: bytes, as: UTF8.self)
            : bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Messages with a field of every kind, of proto2, proto3 and editions.
    static let types: [any Message.Type] = [
        Scalars.self, Optionals.self, Lists.self, Maps.self, Choices.self, WellKnown.self, Outer.self, Defaults.self,
        Labels.self, Groups.self, Extended.self, Featured.self, Spelled.self,
    ]

    static let registry = TypeRegistry(types)

    static let extensions: ExtensionSet = {
        var all = OlderKindsExtensions.all
        all.formUnion(Holder.Extensions.all)
        return all
    }()
}
