// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The plan of a service's client: names, collections and actions, either set by options or inferred.
struct ServicePlan {
    let service: ServiceDescriptor
    /// The name of the service without the suffix `Service`.
    let base: String
    /// The name of the client actor.
    let clientName: String
    let stateName: String
    let actionName: String
    /// Additional modules that its files import.
    let importModules: [String]
    /// Whether tests are generated; nil if no option sets it.
    let generatesTests: Bool?
    /// The module of the files; nil if no option sets it.
    let packageName: String?
    /// The collections that the state keeps.
    let collections: [CollectionPlan]
    /// The actions, in file order; streaming methods have none.
    let methods: [MethodPlan]
    /// The rules for the requests of streaming methods, which servers check.
    let streams: [RequestRules]
    /// The constraints on the fields of items, by the items' full names.
    let itemConstraints: [String: [FieldConstraint]]

    /// The stem of the client's other names: `UserManager` of `UserManagerClient`.
    var stem: String { clientName.dropping(suffix: "Client") }

    /// The name of the protocol that the program implements, with one function for each CUSTOM method.
    ///
    /// Nil without such methods.
    var reducerName: String? { methods.contains { $0.strategy == .custom } ? "\(stem)Reducer" : nil }

    /// Returns the collection that a method refers to.
    func collection(of method: MethodPlan) -> CollectionPlan? { method.collection.map { collections[$0] } }

    /// Reads the plans of all services of a file.
    ///
    /// - Parameters:
    ///   - suffix: The suffix of client names that no option sets.
    ///   - wholeNames: Whether names that no option sets keep the suffix `Service`.
    ///   - prefix: The prefix of names that no option sets.
    ///   - unenforced: The severity of a rule that is not enforced.
    static func read(
        _ file: FileDescriptor, suffix: String = "Client", wholeNames: Bool = false, prefix: String = "",
        unenforced: Diagnostic.Severity = .error
    ) -> PlanningResult {
        let reader = PlanReader(
            file, suffix: suffix, wholeNames: wholeNames, prefix: prefix, unenforced: unenforced)
        let plans = file.services.map { reader.plan($0) }
        return PlanningResult(plans: plans, diagnostics: reader.options.diagnostics)
    }

    /// Reads the plans of all services of several files.
    ///
    /// - Parameter prefix: Returns the prefix of names that no option sets, by file.
    static func read(
        _ files: [FileDescriptor], suffix: String = "Client", wholeNames: Bool = false,
        unenforced: Diagnostic.Severity = .error, prefix: (FileDescriptor) -> String = { _ in "" }
    ) -> PlanningResult {
        let each = Parallel.map(files) {
            read($0, suffix: suffix, wholeNames: wholeNames, prefix: prefix($0), unenforced: unenforced)
        }
        return PlanningResult(plans: each.flatMap(\.plans), diagnostics: each.flatMap(\.diagnostics))
    }
}

/// The plans of services, and the diagnostics about their options.
struct PlanningResult {
    /// A plan for each service, from its valid options.
    let plans: [ServicePlan]
    /// The diagnostics about the options, in file order.
    let diagnostics: [Diagnostic]

    /// Whether the options are free of errors.
    var isComplete: Bool { !diagnostics.contains { $0.severity == .error } }
}
