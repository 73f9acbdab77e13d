// SPDX-License-Identifier: Apache-2.0

public import LatchProto

/// What the client of a service is to be: names, collections and actions, whichever options say it, and what is
/// concluded where none does.
public struct ServicePlan {
    /// The service.
    public let service: ServiceDescriptor
    /// Its name without "Service".
    public let base: String
    /// The name of the client actor.
    public let clientName: String
    /// The name of the state.
    public let stateName: String
    /// The name of the action.
    public let actionName: String
    /// Modules that its files import besides those that they need.
    public let importModules: [String]
    /// Whether tests are wanted; nil where the file does not say.
    public let generatesTests: Bool?
    /// The module that the files belong to; nil where the file does not say.
    public let packageName: String?
    /// What the state keeps.
    public let collections: [CollectionPlan]
    /// Its actions, in the order of the file; calls that stream are none.
    public let methods: [MethodPlan]
    /// What fields of the items must hold, by the items' full names.
    public let itemConstraints: [String: [FieldConstraint]]

    /// What other names of this client begin with: `UserManager` of `UserManagerClient`.
    public var stem: String {
        clientName.hasSuffix("Client") && clientName != "Client" ? String(clientName.dropLast(6)) : clientName
    }

    /// The name of the protocol of functions that the program must give, one for each CUSTOM method; nil where it must
    /// give none.
    public var reducerName: String? { methods.contains { $0.strategy == .custom } ? "\(stem)Reducer" : nil }

    /// The collection that a method is about.
    public func collection(of method: MethodPlan) -> CollectionPlan? { method.collection.map { collections[$0] } }

    /// Plans of all services of a file.
    ///
    /// - Parameters:
    ///   - suffix: What names of clients end with where no option says it.
    ///   - prefix: What names begin with where no option says them.
    public static func read(_ file: FileDescriptor, suffix: String = "Client", prefix: String = "") -> Planning {
        let reader = PlanReader(file, suffix: suffix, prefix: prefix)
        let plans = file.services.map { reader.plan($0) }
        return Planning(plans: plans, diagnostics: reader.diagnostics.list)
    }

    /// Plans of all services of several files.
    ///
    /// - Parameter prefix: What names begin with where no option says them, by the file.
    public static func read(
        _ files: [FileDescriptor], suffix: String = "Client", prefix: (FileDescriptor) -> String = { _ in "" }
    ) -> Planning {
        let each = Parallel.map(files) { read($0, suffix: suffix, prefix: prefix($0)) }
        return Planning(plans: each.flatMap(\.plans), diagnostics: each.flatMap(\.diagnostics))
    }
}

/// What came of reading options.
public struct Planning {
    /// A plan for each service, as far as its options are right.
    public let plans: [ServicePlan]
    /// What is wrong with the options, in the order of the file.
    public let diagnostics: [Diagnostic]

    /// Whether the options are right.
    public var isComplete: Bool { !diagnostics.contains { $0.severity == .error } }
}
