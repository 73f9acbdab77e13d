// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The layout of a project.
///
/// Each service has one file for the service, and one for its request and response messages. One more file contains all
/// other types of the .proto file.
struct ProjectLayout {
    private static let folder = "swift/Contracts/"
    private let types: TypeTable

    init(_ types: TypeTable) { self.types = types }

    /// Returns the stem of a service's file names: its name without the suffix `Service`.
    private func base(of service: ServiceDescriptor) -> String {
        types.serviceName(service).dropping(suffix: "Service")
    }

    /// Returns the units of some files.
    func units(of files: [FileDescriptor]) -> [ContractUnit] {
        // A request or response belongs to the first service that uses it, if the same file declares both. A message
        // that is also the type of a field, such as `User`, is a model.
        let parts = Self.parts(of: files)
        var owners: [String: String] = [:]
        for service in files.flatMap(\.services) {
            for message in service.methods.flatMap({ [$0.input, $0.output] }).compactMap(\.self)
            where message.file === service.file && message.parent == nil && !parts.contains(message.fullName)
                && owners[message.fullName] == nil
            {
                owners[message.fullName] = service.fullName
            }
        }
        var taken: Set<String> = []
        return files.flatMap { units(of: $0, owners, &taken) }.filter { !$0.isEmpty }
    }

    /// Returns the full names of messages that are types of fields.
    private static func parts(of files: [FileDescriptor]) -> Set<String> {
        var parts: Set<String> = []
        func visit(_ message: MessageDescriptor) {
            for field in message.fields { if let part = field.message { parts.insert(part.fullName) } }
            message.messages.forEach(visit)
        }
        files.flatMap(\.messages).forEach(visit)
        return parts
    }

    private func units(
        of file: FileDescriptor, _ owners: [String: String], _ taken: inout Set<String>
    ) -> [ContractUnit] {
        var units: [ContractUnit] = []
        // They are grouped once, because a file may have many services and messages.
        let messages = Dictionary(grouping: file.messages) { owners[$0.fullName] ?? "" }
        for service in file.services {
            let base = base(of: service)
            var own = ContractUnit(path: path("\(base)Service", &taken), of: file)
            own.services = [service]
            var calls = ContractUnit(path: path(Self.typesName(service, base, taken), &taken), of: file)
            calls.messages = messages[service.fullName] ?? []
            units += [own, calls]
        }
        let base = file.services.first.map(base) ?? ContractUnit.stem(of: file.name)
        var models = ContractUnit(path: path("\(base)Models", &taken), of: file)
        models.messages = messages[""] ?? []
        models.enums = file.enums
        models.extensions = ContractUnit.extensions(of: file)
        return units + [models]
    }

    private static func typesName(_ service: ServiceDescriptor, _ base: String, _ taken: Set<String>) -> String {
        let names = Set(service.methods.map(\.name))
        let isLogin = names.isSuperset(of: ["Login", "RefreshToken"])
        return isLogin && !taken.contains("authenticationtypes") ? "AuthenticationTypes" : "\(base)Types"
    }

    /// Returns a path that is unique even if the file system ignores case.
    private func path(_ name: String, _ taken: inout Set<String>) -> String {
        var (own, number) = (name, 2)
        while !taken.insert(own.lowercased()).inserted {
            own = "\(name)\(number)"
            number += 1
        }
        return Self.folder + own + ".swift"
    }
}
