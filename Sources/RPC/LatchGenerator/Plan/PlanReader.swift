// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Reads the options of a file's services, whichever spelling they have, and concludes what they do not say.
final class PlanReader {
    let file: FileDescriptor
    let scope: OptionScope
    let diagnostics: PlanDiagnostics
    /// What names of clients end with that nobody has named.
    private let suffix: String
    /// What names begin with that nobody has chosen.
    private let prefix: String
    private let messagesByName: [String: MessageDescriptor]
    /// Names of types that the file or what it imports has, and those that the text of clients uses.
    private let takenNames: Set<String>

    init(_ file: FileDescriptor, suffix: String = "Client", prefix: String = "") {
        self.prefix = prefix
        self.file = file
        self.suffix = suffix
        scope = OptionScope(file)
        diagnostics = PlanDiagnostics(file.source)
        var messages: [String: MessageDescriptor] = [:]
        for one in file.withDependencies { one.eachMessage { messages[$0.fullName] = $0 } }
        messagesByName = messages
        takenNames = Self.takenNames(in: file, prefix: prefix)
    }

    func plan(_ service: ServiceDescriptor) -> ServicePlan {
        let options = [
            scope.message("axiom.service_options", of: service.options),
            scope.message("axiom.options.v1.axiom_service", of: service.options),
        ].compactMap { $0 }
        checkConflicts(options)
        let actor = Saying(
            scope.string("axiom.swift_client_actor", of: service.options), "axiom.swift_client_actor")
        for one in options { conflict("client_name", Saying("client_name", of: one), actor) }
        let module = Saying(
            scope.string("axiom.swift_package_name", of: file.options), "axiom.swift_package_name")
        for one in options { conflict("swift_package_name", module, Saying("swift_package_name", of: one)) }
        let client = name("client_name", options) ?? actorName(service)
        let base = client == nil ? freeBase(of: service) : Self.base(service.name)
        let stem = options.isEmpty ? client.map(Self.stem) ?? base : base
        let (clientName, stateName, actionName) = (
            client ?? base + suffix, name("state_name", options) ?? "\(stem)State",
            name("action_name", options) ?? "\(stem)Action"
        )
        if Set([clientName, stateName, actionName]).count < 3 {
            diagnostics.add(
                "client, state and action of '\(service.name)' have one name",
                at: options.first?.fallback ?? service.place,
                hint: "Set client_name, state_name and action_name to three names.")
        }
        let collections = collections(of: service, options)
        let package = options.lazy.compactMap { $0.string("swift_package_name") }.first
        return ServicePlan(
            service: service, base: base, clientName: clientName, stateName: stateName, actionName: actionName,
            importModules: modules(options),
            generatesTests: options.lazy.compactMap { $0.bool("generate_tests") }.first,
            packageName: package ?? scope.string("axiom.swift_package_name", of: file.options)?.text,
            collections: collections, methods: methods(of: service, collections),
            itemConstraints: Dictionary(
                collections.map { ($0.item.fullName, constraints(of: $0.item)) },
                uniquingKeysWith: { first, _ in first }))
    }

    private static func takenNames(in file: FileDescriptor, prefix: String) -> Set<String> {
        var names = ImportedNames.runtime
        for one in file.withDependencies {
            let prefix = one === file && !prefix.isEmpty ? prefix : one.options.message.string(39) ?? ""
            names.formUnion((one.messages.map(\.name) + one.enums.map(\.name)).map { prefix + SwiftNames.type($0) })
        }
        return names
    }

    /// A message by its name as it is written, seen from a package outwards.
    func message(_ name: String, from package: String) -> MessageDescriptor? {
        if name.first == "." { return messagesByName[String(name.dropFirst())] }
        var scope = package.split(separator: ".")
        while true {
            if let found = messagesByName[(scope + [Substring(name)]).joined(separator: ".")] { return found }
            guard scope.popLast() != nil else { return nil }
        }
    }

    /// The name of a service without "Service".
    private static func base(_ name: String) -> String {
        let type = SwiftNames.type(name)
        return type.hasSuffix("Service") && type != "Service" ? String(type.dropLast(7)) : type
    }

    /// A beginning for the names of types that nobody has chosen: where a message is called as one of them would be, the
    /// whole name of the service is as good.
    private func freeBase(of service: ServiceDescriptor) -> String {
        let base = prefix + Self.base(service.name)
        let ends = [suffix, "State", "Action", "Error", "Reducer"]
        guard ends.contains(where: { takenNames.contains(base + $0) }) else { return base }
        return base + "Service"
    }

    private static func stem(_ client: String) -> String {
        client.hasSuffix("Client") && client != "Client" ? String(client.dropLast(6)) : client
    }

    /// The name of a type that an option gives, if Swift takes it.
    private func name(_ option: String, _ options: [NamedOptions]) -> String? {
        for one in options {
            guard let name = one.string(option) else { continue }
            check(name, at: one.place(option))
            return name
        }
        return nil
    }

    private func actorName(_ service: ServiceDescriptor) -> String? {
        guard let (name, place) = scope.string("axiom.swift_client_actor", of: service.options) else { return nil }
        check(name, at: place)
        return name
    }

    private func check(_ name: String, at place: Place?) {
        guard SwiftNames.isPlainIdentifier(name), name.first?.isUppercase == true, SwiftNames.type(name) == name else {
            return diagnostics.add(
                "'\(name)' cannot name a type of Swift", at: place,
                hint: "Write a name of letters and digits that begins with a capital.")
        }
    }

    private func modules(_ options: [NamedOptions]) -> [String] {
        var modules: [String] = []
        for one in options {
            for (index, name) in one.strings("import_modules").enumerated() where !modules.contains(name) {
                guard name.split(separator: ".").allSatisfy(SwiftNames.isPlainIdentifier), !name.isEmpty else {
                    diagnostics.add("'\(name)' is no name of a module", at: one.place("import_modules", index))
                    continue
                }
                modules.append(name)
            }
        }
        return modules
    }
}

extension SwiftNames {
    /// Whether a text can stand in Swift text as a name, without backticks.
    static func isPlainIdentifier(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return !keywords.contains(String(name))
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_")
            }
    }
}

extension FileDescriptor {
    /// All messages that are declared in the file, each before those that stand in it.
    func eachMessage(_ body: (MessageDescriptor) -> Void) {
        func visit(_ message: MessageDescriptor) {
            body(message)
            message.messages.forEach(visit)
        }
        messages.forEach(visit)
    }
}
