// SPDX-License-Identifier: Apache-2.0

// AxiomArchitecture: the names of seed 000's clients and states over LatchRPC.
//
// For: code that was written for the original, and the clients that are generated in its shape.
// Must not hold: an engine of its own.

@_exported public import AxiomCore
@_exported public import LatchRPC

/// The client of a service as the original names it: an actor with a state, a stream of it, and actions.
public protocol AxiomClient<StateType, ActionType>: ServiceClient where StateType: AxiomState {}

/// The state of a client as the original names it.
public protocol AxiomState: ServiceState where Failure == AxiomError {}

/// An action of a client as the original names it.
public typealias AxiomAction = ServiceAction
