// SPDX-License-Identifier: Apache-2.0

// What the document's reducers and view take from elsewhere, as small as it can be: enough to compile them as they stand
// there, and to run them. None of it belongs to the package.

/// A piece of a program's logic.
protocol Reducer: Sendable {
    associatedtype State
    associatedtype Action: Sendable
    func reduce(into state: inout State, action: Action) -> Effect<Action>
}

/// Work that follows from an action, and sends further ones.
struct Effect<Action: Sendable>: Sendable {
    let operation: (@Sendable (Send<Action>) async throws -> Void)?

    static var none: Effect { Effect(operation: nil) }

    static func run(_ operation: @escaping @Sendable (Send<Action>) async throws -> Void) -> Effect {
        Effect(operation: operation)
    }
}

/// A closure by which an effect sends its actions.
struct Send<Action: Sendable>: Sendable {
    let send: @Sendable (Action) async -> Void

    func callAsFunction(_ action: Action) async { await send(action) }
}

extension Result where Failure == any Error {
    /// Returns the result of a body.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// Runs a reducer: an action, all work that follows from it, and all that follows from that.
func run<Feature: Reducer>(
    _ feature: Feature, in state: Feature.State, sending action: Feature.Action
) async throws -> Feature.State {
    var state = state
    var waiting = [action]
    while !waiting.isEmpty {
        let effect = feature.reduce(into: &state, action: waiting.removeFirst())
        let (actions, continuation) = AsyncStream.makeStream(of: Feature.Action.self)
        try await effect.operation?(Send { continuation.yield($0) })
        continuation.finish()
        for await next in actions { waiting.append(next) }
    }
    return state
}

/// The state that is shown.
protocol View: Sendable {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

@resultBuilder
enum ViewBuilder {
    static func buildBlock(_ views: any View...) -> Shown {
        Shown(views.flatMap { ($0 as? Shown)?.names ?? [name($0)] })
    }
    static func buildEither(first: Shown) -> Shown { first }
    static func buildEither(second: Shown) -> Shown { second }

    private static func name(_ view: any View) -> String { (view as? Container)?.name ?? "\(type(of: view))" }
}

/// The stand-ins for SwiftUI's views.
struct Shown: View {
    let names: [String]
    init(_ names: [String]) { self.names = names }
    var body: Shown { return self }
}

protocol Container { var name: String { get } }

struct ProgressView: View, Container {
    let name: String
    init(_ text: String) { name = text }
    var body: Shown { return Shown([]) }
}

struct TabView: View, Container {
    let name: String
    init(@ViewBuilder _ content: () -> Shown) { name = "TabView(\(content().names.joined(separator: ", ")))" }
    var body: Shown { return Shown([]) }
}

struct LoginView: View { var body: Shown { return Shown([]) } }
struct HomeView: View { var body: Shown { return Shown([]) } }
struct ProfileView: View { var body: Shown { return Shown([]) } }
