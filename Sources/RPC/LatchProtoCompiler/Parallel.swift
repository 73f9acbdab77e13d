// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Parallel work on all cores, for which the caller waits.
///
/// It is for computations in a program that has no other work. The calling thread takes part, and blocks until the last
/// element is done.
package enum Parallel {
    /// Returns the results of `body` for each element, in the order of the elements.
    ///
    /// - Parameter body: A function that runs on several threads concurrently: it may read the variables that it
    ///   captures, but not change them.
    package static func map<Input, Output>(_ inputs: [Input], _ body: (Input) -> Output) -> [Output] {
        guard inputs.count > 1 else { return inputs.map(body) }
        return [Output](unsafeUninitializedCapacity: inputs.count) { buffer, count in
            // Each thread writes only to its own elements.
            nonisolated(unsafe) let (inputs, outputs, body) = (inputs, buffer, body)
            DispatchQueue.concurrentPerform(iterations: inputs.count) { index in
                outputs.initializeElement(at: index, to: body(inputs[index]))
            }
            count = inputs.count
        }
    }

    /// Returns the results of two closures, which run concurrently if two cores are free.
    package static func both<First, Second>(
        _ first: () -> First, _ second: () -> Second
    ) -> (First, Second) {
        var results: (First?, Second?)
        withUnsafeMutablePointer(to: &results) { results in
            _ = map([true, false]) { isFirst in
                if isFirst { results.pointee.0 = first() } else { results.pointee.1 = second() }
            }
        }
        guard case (let one?, let two?) = results else { return (first(), second()) }
        return (one, two)
    }
}
