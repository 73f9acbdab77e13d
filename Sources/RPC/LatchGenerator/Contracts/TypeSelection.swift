// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// The types that some services need, where not all services are wanted.
struct TypeSelection {
    private let services: Set<String>
    /// Full names of messages and enums that are reached from their methods.
    private var reached: Set<String> = []

    /// - Parameter services: The full names of those that are wanted.
    init(_ services: Set<String>, of files: [FileDescriptor]) {
        self.services = services
        for service in files.flatMap(\.services) where services.contains(service.fullName) {
            for method in service.methods {
                method.input.map { add($0) }
                method.output.map { add($0) }
            }
        }
    }

    private mutating func add(_ message: MessageDescriptor) {
        guard reached.insert(message.fullName).inserted else { return }
        for field in message.fields {
            field.message.map { add($0) }
            field.enum.map { _ = reached.insert($0.fullName) }
        }
    }

    /// A unit without what nobody needs; a message stays whole, with all that stands in it.
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
