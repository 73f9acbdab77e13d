// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The types that a selection of services needs.
struct TypeSelection {
    private let services: Set<String>
    /// The full names of the messages and enums that their methods use, directly or indirectly.
    private var reached: Set<String> = []

    /// - Parameter services: The full names of the selected services.
    init(_ services: Set<String>, of files: [FileDescriptor]) {
        self.services = services
        for service in files.flatMap(\.services) where services.contains(service.fullName) {
            for method in service.methods {
                add([method.input, method.output].compactMap(\.self))
            }
        }
    }

    private mutating func add(_ messages: [MessageDescriptor]) {
        var rest = messages
        while let message = rest.popLast() {
            guard reached.insert(message.fullName).inserted else { continue }
            for field in message.fields {
                if let inner = field.message { rest.append(inner) }
                if let inner = field.enum { reached.insert(inner.fullName) }
            }
        }
    }

    /// Returns a unit without unneeded declarations; a required message keeps all its nested types.
    func applied(to unit: ContractUnit) -> ContractUnit {
        var unit = unit
        unit.services = unit.services.filter { services.contains($0.fullName) }
        unit.messages = unit.messages.filter(isNeeded)
        unit.enums = unit.enums.filter { reached.contains($0.fullName) }
        unit.extensions = unit.extensions.filter { extensions in
            extensions.fields.allSatisfy { reached.contains($0.extendee?.fullName ?? "") }
        }
        return unit
    }

    private func isNeeded(_ message: MessageDescriptor) -> Bool {
        reached.contains(message.fullName) || message.messages.contains(where: isNeeded)
            || message.enums.contains { reached.contains($0.fullName) }
    }
}
