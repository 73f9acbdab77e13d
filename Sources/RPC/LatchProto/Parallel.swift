// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Work that is spread over the processor's cores, and waited for.
///
/// It is for computing, in a program that has nothing else to do meanwhile: the calling thread takes its part, and blocks
/// until the last part is done.
package enum Parallel {
    /// What `body` makes of each element, in their order.
    ///
    /// - Parameter body: Called on several threads at once: it may read what it captures, and change nothing of it.
    package static func map<Input, Output>(_ inputs: [Input], _ body: (Input) -> Output) -> [Output] {
        guard inputs.count > 1 else { return inputs.map(body) }
        return [Output](unsafeUninitializedCapacity: inputs.count) { buffer, count in
            withoutActuallyEscaping(body) { body in
                let work = Work(inputs: inputs, outputs: buffer, body: body)
                DispatchQueue.concurrentPerform(iterations: inputs.count) { work.perform($0) }
            }
            count = inputs.count
        }
    }

    /// What two closures make, which run at once where there is a core for each.
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

    /// What the threads share; `@unchecked Sendable`, since each writes to places of its own.
    private struct Work<Input, Output>: @unchecked Sendable {
        let inputs: [Input]
        let outputs: UnsafeMutableBufferPointer<Output>
        let body: (Input) -> Output

        func perform(_ index: Int) { outputs.initializeElement(at: index, to: body(inputs[index])) }
    }
}
