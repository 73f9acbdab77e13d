// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// What stands beside the functions of a fake: for `getUser`, `onGetUser` and `getUserRequests`.
struct FakeNames {
    /// The names for one method.
    struct Names {
        /// What it answers.
        let hook: String
        /// What it was called with.
        let requests: String
        /// Both, for the fake alone.
        let calls: String
    }

    private var names: [ObjectIdentifier: Names] = [:]

    init(_ service: ServiceDescriptor) {
        var taken = NameSet()
        for (index, method) in service.methods.enumerated() {
            let name = SwiftNames.bare(method.swiftName)
            // A method may be called `OnGetUser`, and another one `GetUserRequests`.
            names[ObjectIdentifier(method)] = Names(
                hook: taken.take("on\(SwiftNames.capitalized(name))", or: index + 1),
                requests: taken.take("\(name)Requests", or: index + 1), calls: "calls_\(name)")
        }
    }

    subscript(method: MethodDescriptor) -> Names {
        names[ObjectIdentifier(method)] ?? Names(hook: "onCall", requests: "requests", calls: "calls")
    }
}
