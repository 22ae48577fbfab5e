import { GraphQLDateTime, GraphQLJSON, GraphQLNonNegativeInt, GraphQLSafeInt } from 'graphql-scalars'
import { builder } from './builder.ts'

builder.addScalarType('DateTime', GraphQLDateTime)
builder.addScalarType('JSON', GraphQLJSON)
builder.addScalarType('NonNegativeInt', GraphQLNonNegativeInt)
builder.addScalarType('SafeInt', GraphQLSafeInt)
