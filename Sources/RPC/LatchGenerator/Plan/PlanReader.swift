// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// Reads the plans of a file's services from their options, and infers what they do not set.
struct PlanReader {
    let options: OptionReader
    /// The suffix of client names that no option sets.
    private let suffix: String
    /// The prefix of names that no option sets.
    private let prefix: String
    /// Whether names that no option sets keep the suffix `Service`.
    private let keepsServiceNames: Bool
    /// The names of types in the file, and those that the code of clients uses.
    ///
    /// It excludes types of imported files: otherwise a client's name could change when another file grows.
    private let takenNames: Set<String>

    init(
        _ file: FileDescriptor, suffix: String = "Client", wholeNames: Bool = false, prefix: String = "",
        unenforced: Diagnostic.Severity = .error
    ) {
        options = OptionReader(file, unenforced: unenforced)
        self.suffix = suffix
        self.prefix = prefix
        keepsServiceNames = wholeNames
        takenNames = Self.takenNames(in: file, prefix: prefix)
    }

    func plan(_ service: ServiceDescriptor) -> ServicePlan {
        let named = options.options(of: service)
        options.checkConflicts(named)
        let actor = options.string("axiom.swift_client_actor", of: service.options, in: service.file)
        let package = options.string("axiom.swift_package_name", of: options.file.options, in: options.file)
        for one in named {
            options.checkConflict(
                "client_name", OptionValue("client_name", of: one), OptionValue(actor, "axiom.swift_client_actor"))
            options.checkConflict(
                "swift_package_name", OptionValue(package, "axiom.swift_package_name"),
                OptionValue("swift_package_name", of: one))
        }
        let client = name("client_name", named) ?? actor.map { checked($0.text, at: $0.place) }
        let base =
            client == nil ? freeBase(of: service) : SwiftNames.type(service.name).dropping(suffix: "Service")
        let stem = named.isEmpty ? client?.dropping(suffix: "Client") ?? base : base
        let (clientName, stateName, actionName) = (
            client ?? base + suffix, name("state_name", named) ?? "\(stem)State",
            name("action_name", named) ?? "\(stem)Action"
        )
        if Set([clientName, stateName, actionName]).count < 3 {
            options.report(
                "client, state and action of '\(service.name)' have the same name",
                at: named.first?.fallback ?? service.namePosition,
                hint: "Set client_name, state_name and action_name to three different names.")
        }
        let collections = CollectionReader(options: options).collections(of: service, named)
        let constraints = ConstraintReader(options: options)
        let methods = MethodReader(options, collections)
        return ServicePlan(
            service: service, base: base, clientName: clientName, stateName: stateName, actionName: actionName,
            importModules: modules(named),
            generatesTests: named.lazy.compactMap { $0.bool("generate_tests") }.first,
            packageName: module(named, package), collections: collections,
            methods: methods.methods(of: service), streams: methods.streams(of: service),
            itemConstraints: Dictionary(
                collections.map { ($0.item.fullName, constraints.constraints(of: $0.item)) },
                uniquingKeysWith: { first, _ in first }))
    }

    private static func takenNames(in file: FileDescriptor, prefix: String) -> Set<String> {
        let prefix = prefix.isEmpty ? file.swiftPrefix ?? "" : prefix
        return ImportedNames.runtime.union(
            (file.messages.map(\.name) + file.enums.map(\.name)).map { prefix + SwiftNames.type($0) })
    }

    /// Returns the stem of names that no option sets: the service's name without `Service`.
    ///
    /// It is the whole name if requested, or if a message of the file has a name that the shorter stem would produce.
    private func freeBase(of service: ServiceDescriptor) -> String {
        let name = prefix + SwiftNames.type(service.name)
        let base = name.dropping(suffix: "Service")
        guard !keepsServiceNames else { return name }
        let ends = [suffix, "State", "Action", "Error", "Reducer"]
        guard ends.contains(where: { takenNames.contains(base + $0) }) else { return base }
        return base + "Service"
    }

    /// Returns the type name that an option sets, after checking that it is valid.
    private func name(_ option: String, _ named: [NamedOptions]) -> String? {
        let one = named.first { $0.string(option) != nil }
        return one?.string(option).map { checked($0, at: one?.place(option)) }
    }

    private func checked(_ name: String, at place: SourcePosition?) -> String {
        if !SwiftNames.isPlainIdentifier(name) || name.first?.isUppercase != true || SwiftNames.type(name) != name {
            options.report(
                "'\(name)' is not a valid Swift type name", at: place,
                hint: "Write a name of letters and digits that begins with an uppercase letter.")
        }
        return name
    }

    /// Returns the module that the options name for the tests, after checking that it is valid.
    private func module(_ named: [NamedOptions], _ package: (text: String, place: SourcePosition?)?) -> String? {
        let option = "swift_package_name"
        let one = named.first { $0.string(option) != nil }
        guard let name = one?.string(option) ?? package?.text else { return nil }
        if !SwiftNames.isPlainIdentifier(name) {
            options.report("'\(name)' is not a module name", at: one?.place(option) ?? package?.place)
        }
        return name
    }

    private func modules(_ named: [NamedOptions]) -> [String] {
        var modules: [String] = []
        for one in named {
            for (index, name) in one.strings("import_modules").enumerated() where !modules.contains(name) {
                guard name.split(separator: ".").allSatisfy(SwiftNames.isPlainIdentifier), !name.isEmpty else {
                    options.report("'\(name)' is not a module name", at: one.place("import_modules", index))
                    continue
                }
                modules.append(name)
            }
        }
        return modules
    }
}
